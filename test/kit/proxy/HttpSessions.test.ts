/** Tests which session of the proxy ends when there are too many. */
import * as HttpSessions from "#kit/proxy/HttpSessions"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Message from "#src/mcp/wire/Message"

/** Creates sessions whose server never answers. */
const sessions = (maxSessions: number) =>
  Effect.suspend(() => {
    let ids = 0
    const fresh = Effect.sync(() => `s${(ids += 1)}`)
    return HttpSessions.make(() => Effect.never, fresh, { maxSessions, buffer: 1_000, onSlow: () => {} })
  })

const opened = (all: HttpSessions.Sessions) =>
  Effect.map(all.open, (session) => {
    assert.isDefined(session)
    return session?.id ?? ""
  })

/** Returns whether each session is open. This counts as a request of each. */
const areOpen = (all: HttpSessions.Sessions, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Effect.map(all.find(id), (session) => session !== undefined))

const [ping] = Message.read('{"jsonrpc":"2.0","id":1,"method":"ping"}', "test")

describe("sessions of the proxy", () => {
  it.effect("13.7 a client that only opens sessions ends its own, and used sessions stay", () =>
    Effect.gen(function* () {
      const all = yield* sessions(3)
      const used = yield* opened(all)
      yield* all.find(used)
      const flood = []
      for (let n = 0; n < 10; n += 1) flood.push(yield* opened(all))
      assert.deepStrictEqual(yield* areOpen(all, [used, ...flood.slice(-3)]), [true, false, true, true])
    })
  )

  it.effect("13.7 if all sessions are used, the least recently used session ends", () =>
    Effect.gen(function* () {
      const all = yield* sessions(2)
      const [first, second] = [yield* opened(all), yield* opened(all)]
      yield* areOpen(all, [second, first])
      const third = yield* opened(all)
      assert.deepStrictEqual(yield* areOpen(all, [first, second, third]), [true, false, true])
    })
  )

  it.live("13.7 a session with a request in progress does not end in favour of another session, which is refused", () =>
    Effect.gen(function* () {
      const all = yield* sessions(2)
      const [busy, other] = [yield* all.open, yield* all.open]
      assert.isTrue(ping !== undefined && Result.isSuccess(ping) && ping.success._tag === "Request")
      if (ping === undefined || Result.isFailure(ping) || ping.success._tag !== "Request") return
      const { success } = ping
      // the request waits, because no server is connected
      for (const session of [busy, other]) yield* Effect.forkScoped(session?.client.ask(success) ?? Effect.void)
      yield* Effect.yieldNow
      assert.deepStrictEqual([busy?.client.isBusy(), other?.client.isBusy()], [true, true])
      assert.isUndefined(yield* all.open)
      assert.deepStrictEqual(yield* areOpen(all, [busy?.id ?? "", other?.id ?? ""]), [true, true])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "13.7 a session without a request for an hour ends when another opens, unless its request is in progress",
    () =>
      Effect.gen(function* () {
        const all = yield* sessions(3)
        const [busy, idle] = [yield* all.open, yield* opened(all)]
        if (ping === undefined || Result.isFailure(ping) || ping.success._tag !== "Request") assert.fail("no request")
        yield* Effect.forkScoped(busy?.client.ask(ping.success) ?? Effect.void)
        yield* Effect.yieldNow
        yield* TestClock.adjust("61 minutes")
        yield* opened(all)
        assert.deepStrictEqual(yield* areOpen(all, [busy?.id ?? "", idle]), [true, false])
      }).pipe(Effect.scoped)
  )
})
