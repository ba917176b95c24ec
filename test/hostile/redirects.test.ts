/**
 * Writes that upstreams answer with redirects, or with bodies that cannot be unpacked: the request has been made, and
 * nobody may say that it did nothing, nor make another write in its place.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { classify } from "#domain/classification/Classification"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { outside, response, settled, tool } from "../pipeline/support.ts"

const thrown = (error: unknown) => error as Error
/** A handler as most are written: the platform's client, and its own reading of the body. */
const post = (url: string) =>
  Effect.tryPromise({
    try: async () => {
      const answer = await fetch(url, { method: "POST", body: "{}" })
      if (!answer.ok) throw Object.assign(new Error(`HTTP ${answer.status}`), { status: answer.status })
      return (await answer.json()) as unknown
    },
    catch: thrown
  })

const serve = (listener: RequestListener) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  )

const unknown = ["HumanReview", "outcome_unknown", "unknown"]
const write = { access: "write", success: Schema.Json }

/** What a write comes to, and how often the alternative that it declares is run. */
const ending = (answer: unknown) => {
  const other = tool("place_order_elsewhere", write, { n: 2 })
  const fallbacks = [{ tool: other.tool, arguments: (args: { readonly q: string }) => args }]
  const { layer, tool: place } = tool("place_order", { ...write, fallbacks }, answer)
  return settled(place.call({ q: "a" })).pipe(
    Effect.map((end) => ({ end, elsewhere: other.runs() })),
    outside([layer, other.layer])
  )
}

describe("writes that are redirected", () => {
  it.live("3.3 an order that is placed, and then redirected for ever, is not placed elsewhere", () =>
    Effect.gen(function* () {
      let placed = 0
      const url = yield* serve((request, answer) => {
        if (request.method === "POST") placed += 1
        answer.writeHead(302, { location: "/" }).end()
      })
      assert.deepStrictEqual(yield* ending(post(url)), { end: unknown, elsewhere: 0 })
      assert.strictEqual(placed, 1)
    })
  )

  for (const [what, location] of [
    ["a port where nobody listens", "http://127.0.0.1:2/"],
    ["a host that does not exist", "http://no-such-host.invalid/"]
  ] as const) {
    it.live(`3.3 an order that is placed, and then redirected to ${what}, is not placed elsewhere`, () =>
      Effect.gen(function* () {
        let placed = 0
        const url = yield* serve((_, answer) => {
          placed += 1
          answer.writeHead(302, { location }).end()
        })
        const client = HttpClient.post(url).pipe(Effect.provide(FetchHttpClient.layer))
        assert.deepStrictEqual(yield* ending(client), { end: unknown, elsewhere: 0 })
        assert.strictEqual(placed, 1)
        const read = tool("get_order", { success: Schema.Json, retry: { attempts: 1 } }, client)
        const end = yield* settled(read.tool.call({ q: "a" })).pipe(outside([read.layer]))
        assert.deepStrictEqual(end, ["Transient", "connection_failed", "none"])
      })
    )
  }

  const failed = (url: string, cause: object) => {
    const error = { _tag: "TransportError", request: { url }, cause: Object.assign(new Error("x"), cause) }
    return classify(error, { access: "write", arguments: {} }).sideEffect
  }
  const refused = (address: string, port: number) => ({ code: "ECONNREFUSED", syscall: "connect", address, port })
  const lookup = (hostname: string) => ({ code: "ENOTFOUND", syscall: "getaddrinfo", hostname })
  for (const [url, cause, expected] of [
    ["http://127.0.0.1:81/a", refused("127.0.0.1", 81), "none"],
    ["http://127.0.0.1:81/a", refused("127.0.0.1", 82), "unknown"],
    ["http://127.0.0.1:81/a", refused("10.0.0.1", 81), "unknown"],
    ["http://[::1]:81/a", refused("::1", 81), "none"],
    ["http://shop.example/a", refused("10.0.0.1", 80), "none"],
    ["https://shop.example/a", refused("10.0.0.1", 443), "none"],
    ["https://shop.example/a", refused("10.0.0.1", 80), "unknown"],
    ["https://shop.example/a", lookup("shop.example"), "none"],
    ["https://SHOP.example./a", lookup("shop.example"), "none"],
    ["https://shop.example/a", lookup("pay.example"), "unknown"],
    ["http://127.0.0.1:81/a", lookup("pay.example"), "unknown"],
    ["http://localhost:81/a", refused("::1", 81), "none"],
    ["/a", lookup("pay.example"), "none"]
  ] as const) {
    const where = "hostname" in cause ? cause.hostname : `${cause.address}:${cause.port}`
    it(`3.3 a request to ${url} that fails at ${where}: ${expected}`, () => {
      assert.strictEqual(failed(url, cause), expected)
    })
  }

  for (const [status, end] of [
    [301, unknown],
    [302, unknown],
    [303, unknown],
    [307, ["Permanent", "misconfigured", "none"]],
    [308, ["Permanent", "misconfigured", "none"]]
  ] as const) {
    it.effect(`3.3 a ${status} that is not followed: ${end[2]}`, () =>
      Effect.gen(function* () {
        const redirect = Effect.sync(() => response(status, "", { location: "/orders/7" }))
        const { elsewhere, end: actual } = yield* ending(redirect)
        if (end === unknown) assert.deepStrictEqual([actual, elsewhere], [unknown, 0])
        else assert.strictEqual(elsewhere, 1, "the request is still to be made")
      })
    )
  }
})

describe("answers that cannot be unpacked", () => {
  const json = Buffer.from(`{"n":1}`)
  const cases: ReadonlyArray<readonly [what: string, encoding: string, body: Buffer]> = [
    ["gzip that is none", "gzip", Buffer.from("this is no gzip at all")],
    ["gzip with something behind it", "gzip", Buffer.concat([gzipSync(json), Buffer.from("and more")])],
    ["brotli that is none", "br", Buffer.from("this is no brotli at all")],
    ["deflate that is none", "deflate", Buffer.from("this is no deflate at all")],
    ["zstd that is none", "zstd", Buffer.from("this is no zstd at all")],
    ["more encodings than anybody unpacks", Array.from({ length: 50 }, () => "gzip").join(", "), gzipSync(json)]
  ]
  /** The `fetch` of Node 22 passes zstd on as it is. */
  const decodesZstd = Number.parseInt(process.versions["undici"] ?? "", 10) >= 7
  for (const [what, encoding, body] of cases) {
    const code = encoding === "zstd" && !decodesZstd ? "invalid_result_json" : "unexpected_content"
    it.live(`3.1 ${what}: not the model's fault, and of a write nobody knows`, () =>
      Effect.gen(function* () {
        const url = yield* serve((_, answer) => {
          answer.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(body)
        })
        assert.deepStrictEqual(yield* ending(post(url)), { end: unknown, elsewhere: 0 })
        const read = tool("get_order", { success: Schema.Json, retry: { attempts: 1 } }, post(url))
        const end = yield* settled(read.tool.call({ q: "a" })).pipe(outside([read.layer]))
        assert.deepStrictEqual(end, ["SchemaMismatch", code, "none"])
      })
    )
  }
})
