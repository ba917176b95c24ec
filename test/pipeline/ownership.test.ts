/** Tests the check of ownership that handlers make before an effect, and the time of a claimed action. */
import { type Claim, IdempotencyKeys, IdempotencyKeysUnavailable } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import type { HandlerContext } from "#pipeline/call/CompiledTool"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { jumpingClock } from "../support/jumpingClock.ts"
import { ask, asked, brief, define, handled, start, tool, within } from "./support.ts"

/** Creates a guard with a store whose claim is lost after `renewals` renewals, and counts the renewals. */
const losing = ({ claim, renewals = 0 }: { readonly claim?: Claim; readonly renewals?: number } = {}) => {
  let left = renewals
  const counts = { renewed: 0 }
  const isHeld = () => left > 0 || renewals === 0
  const layer = Layer.succeed(IdempotencyKeys, {
    find: () => Effect.succeed(undefined),
    claim: () => Effect.succeed(claim ?? { _tag: "Claimed", owner: "me", fencingToken: 41, lapsed: undefined }),
    renew: () =>
      Effect.sync(() => {
        counts.renewed += 1
        left -= 1
        return renewals > 0 && left >= 0
      }),
    complete: () => Effect.sync(isHeld),
    release: () => Effect.succeed(true),
    leave: () => Effect.void
  })
  return { guard: Guard.layerMemoryWith(layer), counts }
}

/** Creates a write that checks its lease before each of its effects. */
const checking = (effects: number, over: object = {}) => {
  const write = define("write_it", { access: "write", idempotency: "derived", retry: { attempts: 3 }, ...over })
  const done: Array<number> = []
  const layer = handled(write, (_: unknown, { ensureLease }: HandlerContext) =>
    Effect.as(
      Effect.forEach(
        Array.from({ length: effects }, (_, i) => i),
        (i) =>
          Effect.andThen(
            ensureLease,
            Effect.sync(() => done.push(i))
          )
      ),
      { n: 1 }
    )
  )
  return { tool: write, layer, done }
}

describe("ensureLease", () => {
  it.effect("8.3 passes for a claim that is held, and renews the lease before each effect", () => {
    const { guard, counts } = losing({ renewals: 2 })
    const { done, layer, tool } = checking(2)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(tool, { q: "a" }), ["HumanReview", "outcome_unknown", "unknown"])
      assert.deepStrictEqual([done, counts.renewed], [[0, 1], 2])
    }).pipe(within([layer], guard))
  })

  it.effect(
    "8.3 nothing is done or retried if the claim was lost before the first effect, and the failure says so",
    () => {
      const { guard, counts } = losing()
      const { done, layer, tool } = checking(1, {
        idempotency: { mode: "derived", upstreamHonoursKey: true }
      })
      return Effect.gen(function* () {
        assert.deepStrictEqual(yield* asked(tool, { q: "a" }), ["Transient", "in_progress", "none"])
        assert.deepStrictEqual([done, counts.renewed], [[], 1])
      }).pipe(within([layer], guard))
    }
  )

  it.effect("8.3 the outcome is unknown if the claim was lost between two effects", () => {
    const { guard } = losing({ renewals: 1 })
    const { done, layer, tool } = checking(2)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(tool, { q: "a" }), ["HumanReview", "outcome_unknown", "unknown"])
      assert.deepStrictEqual(done, [0])
    }).pipe(within([layer], guard))
  })

  it.effect("8.3 nothing is done if the store does not respond", () => {
    const { done, layer, tool } = checking(1)
    const keys = Layer.succeed(IdempotencyKeys, {
      find: () => Effect.succeed(undefined),
      claim: () => Effect.succeed<Claim>({ _tag: "Claimed", owner: "me", fencingToken: 1, lapsed: undefined }),
      renew: () => Effect.fail(new IdempotencyKeysUnavailable({ cause: new Error("down") })),
      complete: () => Effect.succeed(true),
      release: () => Effect.succeed(true),
      leave: () => Effect.void
    })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(tool, { q: "a" }), ["Permanent", "store_unavailable", "none"])
      assert.deepStrictEqual(done, [])
    }).pipe(within([layer], Guard.layerMemoryWith(keys)))
  })

  for (const access of ["read", "write"] as const) {
    it.effect(
      `4.9 a ${access} that was paused for its whole time limit does nothing, even if no timer has fired`,
      () => {
        let acted = 0
        const paused = define("act", { access, timeout: "10 seconds", retry: { attempts: 1 } })
        return Effect.gen(function* () {
          const { clock, jump } = yield* jumpingClock
          const layer = handled(paused, (_: unknown, { ensureLease }: HandlerContext) =>
            Effect.suspend(() => {
              jump(10_000)
              return Effect.as(
                Effect.andThen(
                  ensureLease,
                  Effect.sync(() => (acted += 1))
                ),
                { n: 1 }
              )
            })
          )
          const { decisions, outcome } = yield* ask([paused], "act", '{"q":"a"}').pipe(
            Effect.provideService(Clock.Clock, clock),
            within([layer])
          )
          assert.deepStrictEqual(
            [outcome._tag === "Failure" ? brief(outcome.failure) : [], acted],
            [["Transient", "timeout", "none"], 0]
          )
          assert.deepStrictEqual(
            decisions.filter(({ stage }) => stage === "run"),
            [{ stage: "run", decision: "stopped", reason: "The time of this attempt of act is over." }]
          )
        })
      }
    )

    it.effect(`4.9 a ${access} that was paused between two effects fails with what it may have done`, () => {
      const paused = define("act", { access, timeout: "10 seconds", retry: { attempts: 1 } })
      let failure: ReadonlyArray<string> = []
      return Effect.gen(function* () {
        const { clock, jump } = yield* jumpingClock
        const layer = handled(paused, (_: unknown, { ensureLease }: HandlerContext) =>
          Effect.gen(function* () {
            yield* ensureLease
            yield* ensureLease
            jump(10_000)
            failure = brief(yield* Effect.flip(ensureLease))
            return { n: 1 }
          })
        )
        yield* asked(paused, { q: "a" }).pipe(Effect.provideService(Clock.Clock, clock), within([layer]))
        assert.deepStrictEqual(failure, ["Transient", "timeout", access === "read" ? "none" : "unknown"])
      })
    })
  }

  it.effect(
    "4.9 the check of a handler that outlives its attempt fails, regardless of the errors that the handler catches",
    () => {
      const seen: Array<string> = []
      const slow = define("act", { access: "write", timeout: "1 second", retry: { attempts: 1 } })
      const layer = handled(slow, (_: unknown, { ensureLease }: HandlerContext) =>
        Effect.uninterruptible(
          Effect.andThen(
            Effect.sleep("2 seconds"),
            Effect.match(ensureLease, {
              onFailure: ({ code }) => seen.push(code),
              onSuccess: () => seen.push("acts")
            })
          )
        )
      )
      return Effect.gen(function* () {
        const calling = yield* start(ask([slow], "act", '{"q":"a"}'))
        yield* TestClock.adjust("3 seconds")
        const { decisions } = yield* Fiber.join(calling)
        assert.deepStrictEqual(seen, ["timeout"])
        // the record was written before the check
        assert.isFalse(decisions.some(({ decision }) => decision === "stopped"))
      }).pipe(within([layer]))
    }
  )

  it.effect("8.3 rejects a promise with the failure", () => {
    const { guard } = losing()
    const write = define("write_it", { access: "write", idempotency: "derived", retry: { attempts: 1 } })
    let acted = 0
    const layer = handled(write, (_: unknown, { ensureLease }: HandlerContext) =>
      Effect.tryPromise(async () => {
        await Effect.runPromise(ensureLease)
        acted += 1
        return { n: 1 }
      })
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked(write, { q: "a" }), ["Transient", "in_progress", "none"])
      assert.strictEqual(acted, 0)
    }).pipe(within([layer], guard))
  })

  it.effect("8.3 the handler gets the fencing token of the claim, and none without a key", () => {
    const { guard } = losing({ renewals: 1 })
    const keyed = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 })
    const plain = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([keyed.tool], "write_it", { q: "a" })
      yield* ask([plain.tool], "search", { q: "a" })
      assert.deepStrictEqual(
        [keyed, plain].map(({ calls }) => calls[0]?.context.fencingToken),
        [41, undefined]
      )
    }).pipe(within([keyed.layer, plain.layer], guard))
  })
})

describe("the time of a claimed action", () => {
  const limits = { deadline: "20 seconds", timeout: "10 seconds", retry: { attempts: 1 } }

  it.effect("8.3 a process that was paused right after its claim for longer than the lease does not act", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived", ...limits }, { n: 1 })
    return Effect.gen(function* () {
      const { clock, jump } = yield* jumpingClock
      // the pause is between the answer of the store and the next stage
      const keys = Layer.effect(
        IdempotencyKeys,
        Effect.map(IdempotencyKeys, (keys) => ({
          ...keys,
          claim: (...args) =>
            Effect.tap(
              keys.claim(...args),
              Effect.sync(() => jump(60_000))
            )
        }))
      ).pipe(Layer.provide(Guard.memory))
      const answer = yield* asked(write.tool, { q: "a" }).pipe(
        Effect.provideService(Clock.Clock, clock),
        within([write.layer], Guard.layerMemoryWith(keys))
      )
      assert.deepStrictEqual([answer, write.runs()], [["Transient", "timeout", "none"], 0])
    })
  })

  const lookup = tool("look_up", { access: "read" }, { n: 0 })
  const reconciled = {
    access: "write",
    idempotency: "derived",
    reconcile: { tool: lookup.tool, arguments: () => ({ q: "key" }), found: () => Option.none() },
    ...limits
  }
  const lapsed: Claim = { _tag: "Claimed", owner: "me", fencingToken: 2, lapsed: { remainingMillis: 30_000 } }

  it.effect("8.3 the lease of an action that is taken over restarts after the wait and the lookup", () => {
    const write = tool("write_it", reconciled, { n: 1 })
    const { guard, counts } = losing({ claim: lapsed, renewals: 1 })
    return Effect.gen(function* () {
      const calling = yield* start(asked(write.tool, { q: "a" }))
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(counts.renewed, 0)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(calling)
      assert.deepStrictEqual([counts.renewed, write.runs()], [1, 1])
    }).pipe(within([write.layer, lookup.layer], guard))
  })

  it.effect("8.3 an action that a third process took over during the wait is not made here", () => {
    const write = tool("write_it", reconciled, { n: 1 })
    const { guard } = losing({ claim: lapsed })
    return Effect.gen(function* () {
      const calling = yield* start(asked(write.tool, { q: "a" }))
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(calling), ["Transient", "in_progress", "none"])
      assert.strictEqual(write.runs(), 0)
    }).pipe(within([write.layer, lookup.layer], guard))
  })
})
