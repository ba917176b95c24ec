import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ask, tool, within } from "../pipeline/support.ts"

/** Starts a server on the loopback interface that answers 503 for five seconds, and then a result. */
const server = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void; readonly requests: () => number }>((resume) => {
    let requests = 0
    const until = Date.now() + 5_000
    const http = createServer((_, answer) => {
      requests += 1
      const isDown = Date.now() < until
      answer.writeHead(isDown ? 503 : 200, { "content-type": "application/json" }).end(isDown ? "{}" : '{"n":1}')
    })
    http.listen(0, "127.0.0.1", () => {
      const { port } = http.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => http.close(), requests: () => requests }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("a short outage of a real server", () => {
  // the times of a real server and of real retries
  it.live(
    "2.9, 4.7 a read succeeds after five seconds of 503, at the latest when it is repeated after the stated wait",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { requests, url } = yield* server
          const search = tool("search", {}, () => HttpClient.get(url).pipe(Effect.provide(FetchHttpClient.layer)))
          yield* Effect.gen(function* () {
            let answer = yield* ask([search.tool], "search", { q: "a" })
            if (answer.envelope.status === "error") {
              const { error } = answer.envelope
              assert.deepStrictEqual([error.code, error.retryable, error.next_step], ["unavailable", true, "wait"])
              yield* Effect.sleep(error.retry_after_ms)
              answer = yield* ask([search.tool], "search", { q: "a" })
            }
            assert.deepStrictEqual(answer.envelope, { status: "success", data: { n: 1 } })
            assert.isAtLeast(requests(), 3)
            assert.isAtMost(requests(), 5)
          }).pipe(within([search.layer]))
        })
      )
  )
})
