/**
 * Tests writes that upstreams answer with redirects, or with bodies that cannot be decompressed. If the request has been
 * sent, the outcome is unknown and no fallback runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { classify } from "#domain/classification/Classification"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { outside, response, settled, tool } from "../pipeline/support.ts"

/** `fetch` rejects only with instances of `Error`, so the cast is safe. */
const thrown = (error: unknown) => error as Error
/** A typical handler: calls `fetch` and parses the body itself. */
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

/** Returns the outcome of a write, and how often its fallback ran. */
const outcomeOf = (answer: unknown) => {
  const other = tool("place_order_fallback", write, { n: 2 })
  const fallbacks = [{ tool: other.tool, arguments: (args: { readonly q: string }) => args }]
  const { layer, tool: place } = tool("place_order", { ...write, fallbacks }, answer)
  return settled(place.call({ q: "a" })).pipe(
    Effect.map((outcome) => ({ outcome, fallbackRuns: other.runs() })),
    outside([layer, other.layer])
  )
}

describe("writes that are redirected", () => {
  it.live("3.3 an order that is placed and then redirected endlessly is not placed by the fallback", () =>
    Effect.gen(function* () {
      let placed = 0
      const url = yield* serve((request, answer) => {
        if (request.method === "POST") placed += 1
        answer.writeHead(302, { location: "/" }).end()
      })
      assert.deepStrictEqual(yield* outcomeOf(post(url)), {
        outcome: ["Permanent", "refused", "unknown"],
        fallbackRuns: 0
      })
      assert.strictEqual(placed, 1)
    })
  )

  for (const [what, location] of [
    ["a closed port", "http://127.0.0.1:2/"],
    ["a host that does not exist", "http://no-such-host.invalid/"]
  ] as const) {
    it.live(`3.3 an order that is placed and then redirected to ${what} is not placed by the fallback`, () =>
      Effect.gen(function* () {
        let placed = 0
        const url = yield* serve((_, answer) => {
          placed += 1
          answer.writeHead(302, { location }).end()
        })
        const client = HttpClient.post(url).pipe(Effect.provide(FetchHttpClient.layer))
        assert.deepStrictEqual(yield* outcomeOf(client), { outcome: unknown, fallbackRuns: 0 })
        assert.strictEqual(placed, 1)
        const read = tool("get_order", { success: Schema.Json, retry: { attempts: 1 } }, client)
        const outcome = yield* settled(read.tool.call({ q: "a" })).pipe(outside([read.layer]))
        assert.deepStrictEqual(outcome, ["Transient", "connection_failed", "none"])
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
    it(`3.3 a request to ${url} that fails at ${where} has side effect ${expected}`, () => {
      assert.strictEqual(failed(url, cause), expected)
    })
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it.effect(`3.3 a ${status} response that is not followed has an unknown side effect, and no fallback runs`, () =>
      Effect.gen(function* () {
        const redirect = Effect.sync(() => response(status, "", { location: "/orders/7" }))
        assert.deepStrictEqual(yield* outcomeOf(redirect), {
          outcome: ["Permanent", "misconfigured", "unknown"],
          fallbackRuns: 0
        })
      })
    )
  }
})

describe("answers that cannot be decompressed", () => {
  const json = Buffer.from(`{"n":1}`)
  const cases: ReadonlyArray<readonly [what: string, encoding: string, body: Buffer]> = [
    ["invalid gzip", "gzip", Buffer.from("this is not gzip")],
    ["gzip with trailing bytes", "gzip", Buffer.concat([gzipSync(json), Buffer.from("and more")])],
    ["invalid brotli", "br", Buffer.from("this is not brotli")],
    ["invalid deflate", "deflate", Buffer.from("this is not deflate")],
    ["invalid zstd", "zstd", Buffer.from("this is not zstd")],
    ["fifty nested encodings", Array.from({ length: 50 }, () => "gzip").join(", "), gzipSync(json)]
  ]
  /** The `fetch` of Node 22 does not decompress zstd. */
  const decodesZstd = Number.parseInt(process.versions["undici"] ?? "", 10) >= 7
  for (const [what, encoding, body] of cases) {
    const code = encoding === "zstd" && !decodesZstd ? "invalid_result_json" : "unexpected_content"
    it.live(`3.1 ${what}: the failure is not an error of the arguments, and the outcome of a write is unknown`, () =>
      Effect.gen(function* () {
        const url = yield* serve((_, answer) => {
          answer.writeHead(200, { "content-type": "application/json", "content-encoding": encoding }).end(body)
        })
        assert.deepStrictEqual(yield* outcomeOf(post(url)), {
          outcome: ["SchemaMismatch", code, "unknown"],
          fallbackRuns: 0
        })
        const read = tool("get_order", { success: Schema.Json, retry: { attempts: 1 } }, post(url))
        const outcome = yield* settled(read.tool.call({ q: "a" })).pipe(outside([read.layer]))
        assert.deepStrictEqual(outcome, ["SchemaMismatch", code, "none"])
      })
    )
  }
})
