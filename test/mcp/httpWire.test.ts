/** Tests calls to streamable HTTP servers that use the protocol in unusual ways or violate it. */
import { Guard } from "#src/guard/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Fields = Record<string, any>
type Answer = (request: Fields, response: ServerResponse, received: ReceivedRequests) => void

/** The requests that the server received. */
interface ReceivedRequests {
  readonly seen: Array<string>
  readonly headers: Array<IncomingMessage["headers"]>
}

const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))
const result = (id: unknown, value: object) => ({ jsonrpc: "2.0", id, result: value })
const done = (text: string) => ({ content: [{ type: "text", text }] })
const event = (value: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
const events = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })

/** Starts a server whose tool calls are answered by `call`, and whose GET requests are answered by `get`. */
const serving = (call: Answer, get: Answer = (_, response) => void response.writeHead(405).end()) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly received: ReceivedRequests; readonly close: () => void }>(
      (resume) => {
        const received: ReceivedRequests = { seen: [], headers: [] }
        const server = createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (text: string) => {
            body += text
          })
          request.on("end", () => {
            const message = body === "" ? {} : (JSON.parse(body) as Fields)
            received.seen.push(`${request.method} ${message["method"] ?? ""}`.trim())
            received.headers.push(request.headers)
            if (request.method === "DELETE") return void response.writeHead(204).end()
            if (request.method === "GET") return get({ last: request.headers["last-event-id"] }, response, received)
            const { id, method, params } = message
            if (method === "initialize")
              return void json(
                response,
                result(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: {} }),
                200,
                { "mcp-session-id": "s1" }
              )
            if (id === undefined) return void response.writeHead(202).end()
            if (method === "tools/list")
              return void json(
                response,
                result(id, {
                  tools: [{ name: "act", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]
                })
              )
            return call(message, response, received)
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(
            Effect.succeed({ url: `http://127.0.0.1:${port}/mcp`, received, close: () => server.closeAllConnections() })
          )
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

/** Calls the tool of a server. `outcome` is the data of the envelope, or the class and code of the failure. */
const called = (call: Answer, get?: Answer, timeout: Duration.Input = "3 seconds") =>
  Effect.gen(function* () {
    const { received, url } = yield* serving(call, get)
    const box = yield* McpTools.http({
      url,
      headers: { "x-own": "yes" },
      policies: { act: { retry: { attempts: 1 }, timeout } }
    })
    const { text } = yield* box.answer({ name: "act", arguments: {}, callId: "c" })
    const { data, error } = JSON.parse(text)
    return { received, data, error, outcome: error === undefined ? data : `${error.error_class} ${error.code}` }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(Guard.layerMemory, FetchHttpClient.layer)))

describe("an MCP server over HTTP", { timeout: 30_000 }, () => {
  it.live(
    "13.7 receives a DELETE at the end, with the session, the version and the configured headers, and no session in the first request",
    () =>
      Effect.gen(function* () {
        const { data, received } = yield* called(({ id }, response) => json(response, result(id, done("fine"))))
        assert.strictEqual(data, "fine")
        assert.deepStrictEqual(
          received.seen.filter((each) => each !== "GET"),
          ["POST initialize", "POST notifications/initialized", "POST tools/list", "POST tools/call", "DELETE"]
        )
        const {
          "mcp-protocol-version": version,
          "mcp-session-id": session,
          "x-own": own
        } = received.headers.at(-1) ?? {}
        assert.deepStrictEqual([version, session, own], ["2025-11-25", "s1", "yes"])
        assert.isUndefined(received.headers[0]?.["mcp-session-id"])
      })
  )

  it.live("13.7 can redirect only within its origin, so that other origins do not receive the headers", () =>
    Effect.gen(function* () {
      const within = yield* called(({ id }, response, { seen }) =>
        seen.filter((each) => each === "POST tools/call").length === 1
          ? void response.writeHead(307, { location: "/mcp/" }).end()
          : json(response, result(id, done("moved")))
      )
      assert.strictEqual(within.data, "moved")
      const otherServer = yield* serving(() => undefined)
      const { outcome } = yield* called(
        (_, response) => void response.writeHead(307, { location: `${otherServer.url}/x` }).end()
      )
      assert.notStrictEqual(outcome, "moved")
      assert.deepStrictEqual(otherServer.received.seen, [])
    }).pipe(Effect.scoped)
  )

  it.live("13.7 can answer with events, between other events and in chunks", () =>
    Effect.gen(function* () {
      const { outcome } = yield* called(({ id }, response) => {
        const stream = events(response)
        stream.write(`: comment\n\n${event("")}`)
        stream.write(event({ jsonrpc: "2.0", method: "notifications/message", params: {} }))
        const [a, b] = [
          event(result(id, done("in chunks"))).slice(0, 20),
          event(result(id, done("in chunks"))).slice(20)
        ]
        stream.write(a)
        setTimeout(() => stream.write(b), 50)
      })
      assert.strictEqual(outcome, "in chunks")
    })
  )

  it.live("13.7 is asked for the rest of a stream that ends early if its events have ids", () =>
    Effect.gen(function* () {
      let requestId: unknown
      const { outcome, received } = yield* called(
        ({ id }, response) => {
          requestId = id
          events(response).end(`retry: 20\n\n${event({ jsonrpc: "2.0", method: "notifications/x" }, "e7")}`)
        },
        ({ last }, response) => {
          if (last === "e7") events(response).end(event(result(requestId, done("the rest")), "e8"))
          else response.writeHead(405).end()
        }
      )
      assert.strictEqual(outcome, "the rest")
      assert.include(
        received.headers.map((headers) => headers["last-event-id"]),
        "e7"
      )
    })
  )

  it.live("13.7 fails the call with a specific message if it violates the protocol or reports an error", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [outcome: string, message: RegExp, answer: Answer]> = [
        [
          "schema_mismatch unexpected_content",
          /event 1 of the answer to request \d+: not valid JSON/,
          (_, r) => void events(r).end(event("nonsense"))
        ],
        [
          "schema_mismatch unexpected_content",
          /its content is text\/html/,
          (_, r) => void r.writeHead(200, { "content-type": "text/html" }).end("<html>")
        ],
        [
          "schema_mismatch unexpected_content",
          /HTTP 202: no answer to a request/,
          (_, r) => void r.writeHead(202).end()
        ],
        ["schema_mismatch unexpected_content", /does not contain the answer/, (_, r) => json(r, result(4711, {}))],
        [
          "transient connection_lost",
          /ended before the answer/,
          (_, r) => void events(r).end(event({ jsonrpc: "2.0", method: "notifications/x" }))
        ],
        ["transient connection_lost", /Lost the connection/, (_, r) => void r.socket?.destroy()],
        ["transient unavailable", /HTTP 503/, (_, r) => void r.writeHead(503, { "retry-after": "2" }).end("later")],
        ["permanent tool_failed", /has ended the session/, (_, r) => void r.writeHead(404).end()],
        [
          "permanent unauthorized",
          /HTTP 403: Forbidden; The key may not read orders\. scope: orders\.read is missing/,
          (_, r) =>
            json(
              r,
              {
                title: "Forbidden",
                detail: `The key may not read orders.`,
                errors: [{ name: "scope", reason: "orders.read is missing" }]
              },
              403
            )
        ],
        [
          "tool_arg_error invalid_arguments",
          /no such thing/,
          ({ id }, r) => json(r, { jsonrpc: "2.0", id, error: { code: -32_602, message: "no such thing" } }, 400)
        ],
        [
          "permanent response_too_large",
          /over 16000000/,
          (_, r) => void r.writeHead(200, { "content-type": "application/json" }).end("x".repeat(16_100_000))
        ]
      ]
      for (const [outcome, message, answer] of cases) {
        const found = yield* called(answer)
        assert.strictEqual(found.outcome, outcome, String(message))
        assert.match(found.error.message, message)
      }
      const silent = yield* called(() => {}, undefined, "100 millis")
      assert.strictEqual(silent.outcome, "transient timeout")
      assert.isNotEmpty(silent.error.message)
    })
  )

  it.live("13.7 cannot have done a write that follows the end of its session, so nothing was done", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serving((_, response) => void response.writeHead(404).end())
      const box = yield* McpTools.http({ url, policies: { act: { access: "write", timeout: "3 seconds" } } })
      for (const callId of ["c", "d"]) {
        const { text } = yield* box.answer({ name: "act", arguments: {}, callId })
        const { error_class, message, side_effect } = JSON.parse(text).error
        assert.deepStrictEqual(
          [error_class, message, side_effect],
          ["permanent", "The server has ended the session.", "none"]
        )
      }
      assert.lengthOf(
        received.seen.filter((each) => each === "POST tools/call"),
        1
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(Guard.layerMemory, FetchHttpClient.layer)))
  )

  it.live("13.7 may send content in another form, and the model reads it", () =>
    Effect.gen(function* () {
      for (const [value, text] of [
        [{ content: { type: "text", text: "of one block" } }, "of one block"],
        [{ content: "a text" }, "a text"],
        [{ content: ["a text", null] }, "a text"],
        [{ toolResult: { rows: 3 } }, '"rows":3'],
        [{ task: { taskId: "t", status: "working" } }, "working"]
      ] as const) {
        const { url } = yield* serving(({ id }, response) => json(response, result(id, value)))
        const box = yield* McpTools.http({ url, policies: { act: { timeout: "3 seconds" } } })
        const { outcome } = yield* box.answer({ name: "act", arguments: {}, callId: "c" })
        assert.include(JSON.stringify(outcome).replaceAll("\\", ""), text)
      }
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(Guard.layerMemory, FetchHttpClient.layer)))
  )

  /** Writes a text without end, no faster than it is read. */
  const flood = (response: ServerResponse, text: string): void => {
    while (!response.destroyed && response.write(text)) continue
    response.once("drain", () => flood(response, text))
  }
  const body = (response: ServerResponse) => response.writeHead(200, { "content-type": "application/json" })
  const comments = ": x\n".repeat(50_000)
  const notification = event({ jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(100_000) } })
  const wrongAnswer = event({ jsonrpc: "2.0", id: 4711, result: {} })
  const waits: Answer = () => {}

  it.live.each<readonly [string, Answer, Answer | undefined, RegExp]>([
    ["a body without end", (_, to) => flood(body(to), "x".repeat(100_000)), undefined, /over 16000000 bytes/],
    [
      "an event without end",
      (_, to) => flood(events(to), `data: ${"x".repeat(100_000)}\n`),
      undefined,
      /over 16000000 char/
    ],
    ["comments without end", (_, to) => flood(events(to), comments), undefined, /too many comments/],
    [
      "comments without end in the stream of a GET request",
      waits,
      (_, to) => flood(events(to), comments),
      /too many comments/
    ],
    [
      "notifications without end in the stream of a GET request",
      waits,
      (_, to) => flood(events(to), notification),
      /too much that/
    ],
    [
      "wrong answers without end",
      (_, to) => flood(events(to), wrongAnswer),
      undefined,
      /10000 broken messages in a row/
    ]
  ])(
    "13.7 after %s, the call fails with a typed error, and the connections to the server close",
    ([, call, get, sentence]) =>
      Effect.gen(function* () {
        let connections = 0
        const counted =
          (answer: Answer): Answer =>
          (request, response, received) => {
            connections += 1
            response.on("close", () => (connections -= 1))
            answer(request, response, received)
          }
        const { error } = yield* called(counted(call), get === undefined ? undefined : counted(get), "20 seconds")
        assert.match(error.message, sentence)
        yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => connections === 0 })
      })
  )
})
