/** Servers of streamable HTTP that keep the protocol in their own way, or break it: what a call of their tools comes to. */
import { Guard } from "#src/guard/Guard"
import * as McpTools from "#src/mcp/remote/McpTools"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Fields = Record<string, any>
type Answer = (request: Fields, response: ServerResponse, asked: Asked) => void

/** What the server has been asked for. */
interface Asked {
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

/** A server whose calls are answered in one way. `get`: what it gives who asks for a stream. */
const serving = (call: Answer, get: Answer = (_, response) => void response.writeHead(405).end()) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly asked: Asked; readonly close: () => void }>((resume) => {
      const asked: Asked = { seen: [], headers: [] }
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => {
          body += text
        })
        request.on("end", () => {
          const message = body === "" ? {} : (JSON.parse(body) as Fields)
          asked.seen.push(`${request.method} ${message["method"] ?? ""}`.trim())
          asked.headers.push(request.headers)
          if (request.method === "DELETE") return void response.writeHead(204).end()
          if (request.method === "GET") return get({ last: request.headers["last-event-id"] }, response, asked)
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
          return call(message, response, asked)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({ url: `http://127.0.0.1:${port}/mcp`, asked, close: () => server.closeAllConnections() })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** What one call comes to: the data of its envelope, or class and code, with the message. */
const called = (call: Answer, get?: Answer) =>
  Effect.gen(function* () {
    const { asked, url } = yield* serving(call, get)
    const box = yield* McpTools.http({
      url,
      headers: { "x-own": "yes" },
      policies: { act: { retry: { attempts: 1 }, timeout: "3 seconds" } }
    })
    const { text } = yield* box.answer({ name: "act", arguments: {}, callId: "c" })
    const { data, error } = JSON.parse(text)
    return { asked, data, error, what: error === undefined ? data : `${error.error_class} ${error.code}` }
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(Guard.layerMemory, FetchHttpClient.layer)))

describe("an MCP server over HTTP", { timeout: 30_000 }, () => {
  it.live("13.7 is told session, version and our own headers with every request, and goodbye", () =>
    Effect.gen(function* () {
      const { asked, data } = yield* called(({ id }, response) => json(response, result(id, done("fine"))))
      assert.strictEqual(data, "fine")
      assert.deepStrictEqual(
        asked.seen.filter((each) => each !== "GET"),
        ["POST initialize", "POST notifications/initialized", "POST tools/list", "POST tools/call", "DELETE"]
      )
      const { "mcp-protocol-version": version, "mcp-session-id": session, "x-own": own } = asked.headers.at(-1) ?? {}
      assert.deepStrictEqual([version, session, own], ["2025-11-25", "s1", "yes"])
      assert.isUndefined(asked.headers[0]?.["mcp-session-id"])
    })
  )

  it.live("13.7 is followed where it moves within its origin, and nowhere else: nobody else gets our headers", () =>
    Effect.gen(function* () {
      const within = yield* called(({ id }, response, { seen }) =>
        seen.filter((each) => each === "POST tools/call").length === 1
          ? void response.writeHead(307, { location: "/mcp/" }).end()
          : json(response, result(id, done("moved")))
      )
      assert.strictEqual(within.data, "moved")
      const stranger = yield* serving(() => undefined)
      const { what } = yield* called(
        (_, response) => void response.writeHead(307, { location: `${stranger.url}/x` }).end()
      )
      assert.notStrictEqual(what, "moved")
      assert.deepStrictEqual(stranger.asked.seen, [])
    }).pipe(Effect.scoped)
  )

  it.live("13.7 answers in events, between others and in pieces", () =>
    Effect.gen(function* () {
      const { what } = yield* called(({ id }, response) => {
        const stream = events(response)
        stream.write(`: comment\n\n${event("")}`)
        stream.write(event({ jsonrpc: "2.0", method: "notifications/message", params: {} }))
        const [a, b] = [
          event(result(id, done("in pieces"))).slice(0, 20),
          event(result(id, done("in pieces"))).slice(20)
        ]
        stream.write(a)
        setTimeout(() => stream.write(b), 50)
      })
      assert.strictEqual(what, "in pieces")
    })
  )

  it.live("13.7 that ends its stream early is asked for the rest, where it numbers its events", () =>
    Effect.gen(function* () {
      let wanted: unknown
      const { asked, what } = yield* called(
        ({ id }, response) => {
          wanted = id
          events(response).end(`retry: 20\n\n${event({ jsonrpc: "2.0", method: "notifications/x" }, "e7")}`)
        },
        ({ last }, response) => {
          if (last === "e7") events(response).end(event(result(wanted, done("the rest")), "e8"))
          else response.writeHead(405).end()
        }
      )
      assert.strictEqual(what, "the rest")
      assert.include(
        asked.headers.map((headers) => headers["last-event-id"]),
        "e7"
      )
    })
  )

  it.live("13.7 that breaks the protocol is told with the place, and nothing hangs", () =>
    Effect.gen(function* () {
      const ways: ReadonlyArray<readonly [what: string, said: RegExp, answer: Answer]> = [
        [
          "schema_mismatch unexpected_content",
          /event 1 of the answer to request \d+: no JSON/,
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
        ["schema_mismatch unexpected_content", /does not hold the answer/, (_, r) => json(r, result(4711, {}))],
        [
          "transient connection_lost",
          /ended before the answer/,
          (_, r) => void events(r).end(event({ jsonrpc: "2.0", method: "notifications/x" }))
        ],
        ["transient connection_lost", /connection broke/, (_, r) => void r.socket?.destroy()],
        ["transient unavailable", /HTTP 503/, (_, r) => void r.writeHead(503, { "retry-after": "2" }).end("later")],
        ["transient connection_lost", /no longer knows the session/, (_, r) => void r.writeHead(404).end()],
        ["permanent unauthorized", /./, (_, r) => void r.writeHead(403).end("forbidden")],
        [
          "tool_arg_error invalid_arguments",
          /no such thing/,
          ({ id }, r) => json(r, { jsonrpc: "2.0", id, error: { code: -32_602, message: "no such thing" } }, 400)
        ],
        [
          "permanent response_too_large",
          /over 16000000/,
          (_, r) => void r.writeHead(200, { "content-type": "application/json" }).end("x".repeat(16_100_000))
        ],
        ["transient timeout", /./, () => {}]
      ]
      for (const [what, said, answer] of ways) {
        const found = yield* called(answer)
        assert.strictEqual(found.what, what, String(said))
        assert.match(found.error.message, said)
      }
    })
  )
})
