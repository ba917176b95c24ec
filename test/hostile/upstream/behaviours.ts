/**
 * The behaviours of hostile upstreams, by name. Each is a function that answers one request.
 *
 * `forbidden` lists the secrets, host paths and stack frames that a model must not read. The leaking behaviours send them.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"

/** Answers one request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => unknown

const good = JSON.stringify({ n: 1, note: "fine" })

/** Texts that must not reach a model: `secrets` in any result, `hosts` (paths and stack frames) in failures. */
export const forbidden = {
  secrets: [
    "hunter2-Zq81xTt",
    "AKIAQYLPMN5HIJ7KLMNO",
    "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "s3cr3t-Pa55w0rd-9x"
  ],
  hosts: ["/srv/app/deploy/src/db.ts", "/home/deploy/.env", "at Object.query (", "at async Server."]
} as const

const stack = [
  "Error: connect to postgres://svc:hunter2-Zq81xTt@db.internal:5432/orders failed",
  "    at Object.query (/srv/app/deploy/src/db.ts:41:13)",
  "    at async Server.handle (/srv/app/deploy/src/db.ts:97:5)",
  "config read from /home/deploy/.env: AWS_ACCESS_KEY_ID=AKIAQYLPMN5HIJ7KLMNO password=s3cr3t-Pa55w0rd-9x"
].join("\n")

const leak = JSON.stringify({
  error: { message: stack, stack, token: "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", password: "s3cr3t-Pa55w0rd-9x" }
})

const json = { "content-type": "application/json" }
const mebibyte = 1_048_576

const send =
  (status: number, body: string | Uint8Array = "", headers: Record<string, string> = json): Behaviour =>
  (_, response) => {
    response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers })
    response.end(body)
  }

/**
 * Writes bytes to the socket unchanged, and then treats the connection as `after` says. A complete answer before an end
 * announces it with `connection: close`: otherwise a client may send its next request on the connection that is closing.
 */
const wire =
  (bytes: string, after: "end" | "reset" | "hang"): Behaviour =>
  (_, { socket }) => {
    socket?.write(bytes, () => {
      if (after === "end") socket.end()
      if (after === "reset") setTimeout(() => socket.resetAndDestroy(), 20)
    })
  }

/** Writes a chunked body with these trailers. */
const chunked = (trailers: string): Behaviour =>
  wire(
    `HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n${good}\r\n0\r\n${trailers}\r\n`,
    "end"
  )

/** Waits until a response or a socket accepts more data or is closed. */
const drained = (response: ServerResponse | Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })

/** Writes a chunk `times` times at the pace of the reader, or until the reader disconnects. */
const flood =
  (
    chunk: string | Uint8Array,
    times: number,
    headers: Record<string, string> = json,
    status = 200,
    pauseMillis = 0
  ): Behaviour =>
  async (_, response) => {
    response.writeHead(status, headers)
    for (let i = 0; i < times && !response.destroyed; i++) {
      if (pauseMillis > 0) await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      if (!response.write(chunk) && !response.destroyed) await drained(response)
    }
    response.end()
  }

const lazily = (make: () => string | Uint8Array, headers: Record<string, string> = json, status = 200): Behaviour => {
  let body: string | Uint8Array | undefined
  return (request, response) => send(status, (body ??= make()), headers)(request, response)
}

const status = (code: number, headers: Record<string, string> = {}, body = `{"message":"status ${code}"}`) =>
  send(code, body, { ...json, ...headers })

const inGzip = { ...json, "content-encoding": "gzip" }
/** Returns a gzip stream that repeats one block `times` times, because a stream may contain many members. */
const bomb = (block: Uint8Array, times: number): Uint8Array => {
  const member = gzipSync(block, { level: 9 })
  return Buffer.concat(Array.from({ length: times }, () => member))
}

/** Returns one of 1.6 million distinct words of four letters and digits. */
const word = (i: number): string => (i + 46_656).toString(36)

const manyKeys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${word(i)}":1`).join(",")}}`

const many = (count: number, part: (i: number) => string) =>
  `{"n":1,"note":[${Array.from({ length: count }, (_, i) => part(i)).join(",")}]}`

let flaps = 0
const flapping: Behaviour = (request, response) =>
  (++flaps % 2 === 1 ? status(503, {}) : send(200, good))(request, response)

export const behaviours: Readonly<Record<string, Behaviour>> = {
  fine: send(200, good),
  few_rows: send(200, `{"n":2,"note":[{"id":1},{"id":2}]}`),

  // Connection
  hang_before_headers: () => {},
  hang_in_headers: wire("HTTP/1.1 200 OK\r\ncontent-type: applic", "hang"),
  hang_in_body: wire(`HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"n":1,"note":"fi`, "hang"),
  drip_headers: (_, { socket }) => {
    const timer = setInterval(() => socket?.write("x"), 1_000)
    socket?.on("close", () => clearInterval(timer))
    socket?.write("HTTP/1.1 200 OK\r\nx-slow: ")
  },
  drip_body: flood(" ", 100_000, json, 200, 1_000),
  drip_error: flood(" ", 100_000, json, 503, 1_000),
  reset_before_headers: (_, { socket }) => socket?.resetAndDestroy(),
  reset_in_headers: wire("HTTP/1.1 200 OK\r\ncontent-type: applic", "reset"),
  reset_after_headers: wire("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n", "reset"),
  reset_in_body: wire(`HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"n":1,"note":"fi`, "reset"),
  closed_before_headers: (_, { socket }) => socket?.end(),
  closed_in_body: wire(`HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"n":1,"note":"fi`, "end"),
  closed_in_chunk: wire(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\n{"n":1,"note":"fi`, "end"),
  closed_between_chunks: wire(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"n":1,\r\n`, "end"),
  not_http: wire("\u0000\u0001\u0002 this is not HTTP \r\n\r\n", "end"),
  chunked_garbage: wire(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{"n":1}\r\n`, "end"),
  length_too_long: wire(`HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n${good}`, "end"),
  length_too_short: wire(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9\r\n\r\n${good}`, "end"),
  length_absurd: wire(`HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n${good}`, "end"),
  length_negative: wire(`HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n${good}`, "end"),
  huge_headers: wire(`HTTP/1.1 200 OK\r\nx-big: ${"h".repeat(mebibyte)}\r\ncontent-length: 2\r\n\r\n{}`, "end"),
  many_headers: wire(`HTTP/1.1 200 OK\r\n${"set-cookie: a=b\r\n".repeat(5_000)}content-length: 2\r\n\r\n{}`, "end"),
  early_hints_flood: wire(
    `${"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(20_000)}HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${good.length}\r\n\r\n${good}`,
    "end"
  ),
  hang_in_informational_flood: async (_, { socket }) => {
    while (socket !== null && !socket.destroyed)
      if (!socket.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)) && !socket.destroyed) await drained(socket)
  },
  trailers: chunked(`x-sum: 1\r\n`),
  trailers_huge: chunked(`x-sum: ${"1".repeat(mebibyte)}\r\n`),
  trailers_many: chunked("x-sum: 1\r\n".repeat(20_000)),
  chunk_extension_huge: wire(
    `HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${good.length.toString(16)};x=${"1".repeat(mebibyte)}\r\n${good}\r\n0\r\n\r\n`,
    "end"
  ),
  switching_protocols: wire("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "hang"),
  redirect_loop: (request, response) => status(302, { location: request.url ?? "/" })(request, response),
  redirect_circle: (request, response) => {
    const { url = "/" } = request
    return status(302, { location: url.endsWith("/") ? url.slice(0, -1) : `${url}/` })(request, response)
  },
  redirect_to_file: status(302, { location: "file:///etc/passwd" }),
  redirect_without_location: status(302),

  // Content
  html: send(200, "<!doctype html><html><body>Please sign in</body></html>", { "content-type": "text/html" }),
  html_as_json: send(200, "<!doctype html><html><body>Please sign in</body></html>"),
  json_as_html: send(200, good, { "content-type": "text/html" }),
  png: send(200, Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), { "content-type": "image/png" }),
  empty: send(200),
  blank: send(200, " \n "),
  no_content: (_, response) => response.writeHead(204).end(),
  null_body: send(200, "null"),
  invalid_utf8: send(
    200,
    Buffer.concat([Buffer.from(`{"n":1,"note":"`), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(`"}`)])
  ),
  cut_utf8: send(200, Buffer.from(`{"n":1,"note":"é`).subarray(0, -1)),
  latin1: send(200, Buffer.from(`{"n":1,"note":"Jos\u00e9"}`, "latin1"), {
    "content-type": "application/json; charset=iso-8859-1"
  }),
  bom: send(200, `\ufeff${good}`),
  utf16: send(200, Buffer.from(`\ufeff${good}`, "utf16le")),
  utf16_without_bom: send(200, Buffer.from(good, "utf16le")),
  big_with_length: flood(Buffer.alloc(mebibyte, 0x20), 200, { ...json, "content-length": `${200 * mebibyte}` }),
  big_without_length: flood(Buffer.alloc(mebibyte, 0x20), 200),
  endless: flood(Buffer.alloc(65_536, "[{"), Infinity),
  endless_error: flood(Buffer.alloc(65_536, "error "), Infinity, { "content-type": "text/plain" }, 500),
  deep_arrays: lazily(() => "[".repeat(100_000) + "]".repeat(100_000)),
  deep_objects: lazily(() => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
  deep_unclosed: lazily(() => "[".repeat(9_000_000)),
  million_keys: lazily(() => manyKeys(1_000_000)),
  most_keys: lazily(() => manyKeys(100_000)),
  keys_of_many_objects: lazily(() => many(800_000, (i) => `{"${word(i)}":1}`)),
  most_objects: lazily(() => many(190_000, () => "{}")),
  many_objects: lazily(() => many(3_000_000, () => "{}")),
  many_numbers: lazily(() => many(4_900_000, () => "0")),
  most_numbers: lazily(() => many(990_000, () => "1.5")),
  most_texts: lazily(() => many(990_000, (i) => `"${word(i)}"`)),
  wrong_rows: lazily(() => many(190_000, () => `{"id":"x"}`)),
  wrong_rows_cut: lazily(() => many(190_000, () => `{"id":"x"}`).slice(0, -3)),
  wrong_row_at_the_end: lazily(() => many(190_000, (i) => `{"id":${i === 189_990 ? '"x"' : i}}`).slice(0, -3)),
  good_rows: lazily(() =>
    many(90_000, (i) => `{"id":${i},"customer":"C-${i}","status":"shipped","placed":"2026-01-01T00:00:00Z"}`)
  ),
  duplicate_keys: send(200, `{"n":1,"note":"a","n":2,"note":"b"}`),
  proto: send(200, `{"n":1,"note":"a","__proto__":{"isAdmin":true}}`),
  constructor_prototype: send(200, `{"n":1,"note":{"constructor":{"prototype":{"isAdmin":true}}}}`),
  gzip_bomb: lazily(() => bomb(Buffer.alloc(mebibyte), 256), inGzip),
  gzip_bomb_of_json: lazily(() => bomb(Buffer.alloc(mebibyte, "[[],"), 256), inGzip),
  brotli_bomb: lazily(() => brotliCompressSync(Buffer.alloc(256 * mebibyte)), { ...json, "content-encoding": "br" }),
  gzip_broken: send(200, gzipSync(good).subarray(0, 18), inGzip),
  gzip_garbage: send(200, "this is not gzip at all", inGzip),
  gzip_missing: send(200, good, inGzip),
  encoding_unknown: send(200, good, { ...json, "content-encoding": "xyz" }),
  number_too_large: send(200, `{"n":1e999,"note":-1e999}`),
  number_long: lazily(() => `{"n":${"9".repeat(1_000_000)},"note":0.${"1".repeat(1_000_000)}}`),
  lone_surrogates: send(200, `{"n":1,"note":"\\ud800 and \\udfff"}`),
  trailing_junk: send(200, `${good} <!-- served by node 7 -->`),
  json_lines: send(200, `${good}\n${good}\n`),
  truncated_json: send(200, `{"n":1,"note":"fine","rows":[{"id":1},{"id":2},{"i`),
  huge_string: lazily(() => `{"n":1,"note":"${"x".repeat(9_900_000)}"}`),
  huge_wide_string: lazily(() => `{"n":1,"note":"${"€".repeat(3_300_000)}"}`),
  huge_mixed_string: lazily(() => `{"n":1,"note":"${"x".repeat(9_900_000)}€"}`),
  control_characters: send(200, `{"n":1,"note":"\\u0000\\u001b[2J\\u202e\\u2066"}`),
  wrong_shape: send(200, `{"n":"one","note":"fine"}`),

  // Status and headers
  rate_limited_endless: status(429, { "retry-after": "999999999" }),
  rate_limited_negative: status(429, { "retry-after": "-5" }),
  rate_limited_garbage: status(429, { "retry-after": "soon, maybe" }),
  rate_limited_past: status(429, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }),
  rate_limited_future: status(429, { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }),
  rate_limited_huge: status(429, { "retry-after": "9".repeat(400) }),
  unavailable: status(503),
  unavailable_retry_now: status(503, { "retry-after": "0" }),
  flapping,
  internal_leak: status(500, {}, leak),
  internal_leak_text: send(500, stack, { "content-type": "text/plain" }),
  internal_leak_html: send(500, `<html><body><pre>${stack}</pre></body></html>`, { "content-type": "text/html" }),
  unauthorized_leak: status(401, {}, leak),
  bad_request_leak: status(400, {}, leak),
  not_found_leak: status(404, {}, leak),
  success_leak: send(200, leak),
  status_999: status(999),
  status_600: status(600)
}
