/** Tests an inbox whose process shuts down. The test is `it.live`, because it uses real sockets. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import { Approvals } from "#services/Approvals"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { opening } from "../contracts/Approvals.ts"
import { ana, api, ben, send, serving } from "./support.ts"

describe("an inbox that shuts down", () => {
  it.live("12.7 the stream of an open page ends, and a decision that is being stored is stored", () =>
    Effect.gen(function* () {
      const entered = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const inbox = yield* Deferred.make<{ readonly url: string; readonly id: string }>()
      const stored: Array<string> = []
      const slowly = Layer.effect(
        Approvals,
        Effect.map(Approvals, (approvals) => ({
          ...approvals,
          decide: (id, deciding) =>
            Effect.andThen(Deferred.succeed(entered, undefined), Deferred.await(gate)).pipe(
              Effect.andThen(approvals.decide(id, deciding)),
              Effect.tap(() => Effect.sync(() => stored.push(deciding.verdict)))
            )
        }))
      ).pipe(Layer.provide(ApprovalsMemory.layer))
      const program = serving((url) =>
        Effect.gen(function* () {
          const { request } = yield* (yield* Approvals).open(opening("1"))
          yield* Deferred.succeed(inbox, { url, id: request.id })
          return yield* Effect.never
        })
      ).pipe(Effect.provide(slowly), GracefulShutdown.run())
      const main = yield* Effect.forkChild(program)
      const { id, url } = yield* Deferred.await(inbox)
      const signIn = yield* send(`${url}/approvals/login`, {
        method: "POST",
        body: new URLSearchParams({ token: ben, next: "/approvals" }),
        headers: { origin: url, "sec-fetch-site": "same-origin" }
      })
      const cookie = (signIn.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
      const page = yield* Effect.promise(() => fetch(`${url}/approvals/events`, { headers: { cookie } }))
      const deciding = yield* Effect.forkChild(api(url, ben, "POST", `/${id}/approve`, {}))
      yield* Deferred.await(entered)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(main))
      assert.strictEqual(yield* Effect.promise(() => page.text()), ": keep-alive\n\n")
      // the server still listens, because a decision is in progress
      assert.strictEqual((yield* api(url, ana, "GET", "?limit=10")).status, 200)
      assert.deepStrictEqual(stored, [])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(deciding)).status, 200)
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(stored, ["approve"])
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
