/** Checks idempotency keys with a slow store, with interrupted callers, and with identical calls in one process. */
import { idempotencyKeys, type KeyStore, remote } from "#layers/internal/stores/KeyStore"
import { clear } from "#services/AtRest"
import { unguessableId } from "#services/Unguessable"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { jumpingClock } from "../support/jumpingClock.ts"

const claimed = Effect.succeed({ _tag: "Claimed", fencingToken: 1, lapsed: undefined } as const)

/** Creates an `IdempotencyKeys` service whose store uses this function to claim a key. */
const keysOf = (claim: KeyStore["claim"]) =>
  idempotencyKeys(
    remote(
      {
        find: () => Effect.succeed(undefined),
        claim,
        renew: () => Effect.succeed(true),
        complete: () => Effect.succeed(true),
        release: () => Effect.succeed(true)
      },
      clear
    ),
    unguessableId
  )

/** Counts the steps of the fibers of an effect: the runtime consults its scheduler before each step. */
const countingSteps = () => {
  let count = 0
  const inner = new Scheduler.MixedScheduler()
  const scheduler: Scheduler.Scheduler = {
    executionMode: inner.executionMode,
    makeDispatcher: () => inner.makeDispatcher(),
    shouldYield: (fiber) => {
      count += 1
      return inner.shouldYield(fiber)
    }
  }
  const counted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Scheduler.Scheduler, scheduler)
  return { counted, steps: () => count }
}

describe("keys in a slow store", () => {
  it.effect("8.3 an answer that arrives too late does not count as a claim", () =>
    Effect.gen(function* () {
      const { clock, jump } = yield* jumpingClock
      const keys = keysOf(() =>
        Effect.andThen(
          Effect.sync(() => jump(5_001)),
          claimed
        )
      )
      const error = yield* Effect.flip(keys.claim(actionOf("slow")).pipe(Effect.provideService(Clock.Clock, clock)))
      assert.strictEqual(String(error.cause), "Error: The answer to the claim came too late.")
    })
  )

  it.effect(
    "8.3 a caller that is interrupted during the claim still receives the claim, so that it can complete the claim",
    () =>
      Effect.gen(function* () {
        const keys = keysOf(() => Effect.delay(claimed, "1 second"))
        const ended: Array<string> = []
        const call = Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(keys.claim(actionOf("interrupted")), ({ _tag }) =>
            Effect.onExit(restore(Effect.never), () => Effect.sync(() => ended.push(_tag)))
          )
        )
        const calling = yield* Effect.forkChild(call, { startImmediately: true })
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(calling), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(interrupting)
        assert.deepStrictEqual(ended, ["Claimed"])
      })
  )

  it.effect("8.2 a claim fails after five seconds if the store hangs, and later claims do not wait for it", () =>
    Effect.gen(function* () {
      let isHanging = true
      const keys = keysOf(() => Effect.suspend(() => (isHanging ? Effect.never : claimed)))
      const claiming = yield* Effect.forkChild(Effect.flip(keys.claim(actionOf("hangs"))), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(claiming))._tag, "IdempotencyKeysUnavailable")
      isHanging = false
      assert.strictEqual((yield* keys.claim(actionOf("hangs")))._tag, "Claimed")
    })
  )
})

describe("identical calls that wait for a claim of their process", () => {
  const notApproved = Effect.succeed({ _tag: "NotApproved" } as const)

  /** Makes identical calls whose claims are refused, and returns the ids of the calls in the order of their claims. */
  const refuse = Effect.fnUntraced(function* (calls: number) {
    const callIds: Array<string> = []
    const keys = keysOf((request) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          callIds.push(request.callId)
          return notApproved
        })
      )
    )
    const claims = yield* Effect.forEach(
      Array.from({ length: calls }, (_, n) => `call ${n}`),
      (callId) => keys.claim({ ...actionOf("refused"), callId }),
      { concurrency: "unbounded" }
    )
    assert.isTrue(claims.every(({ _tag }) => _tag === "NotApproved"))
    return callIds
  })

  it.effect("8.2 of 1,500 identical calls whose claims are refused, each claims once, in order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* refuse(1_500),
        Array.from({ length: 1_500 }, (_, n) => `call ${n}`)
      )
    })
  )

  it.effect("8.2 four times as many identical calls whose claims are refused need less than five times the work", () =>
    Effect.gen(function* () {
      const stepsOf = (calls: number) => {
        const { counted, steps } = countingSteps()
        return Effect.map(counted(refuse(calls)), steps)
      }
      assert.isBelow(yield* stepsOf(400), 5 * (yield* stepsOf(100)))
    })
  )

  it.effect("8.2 if the second of three claims is granted, the third claim and a lookup find it in flight", () =>
    Effect.gen(function* () {
      let claims = 0
      const keys = keysOf(() =>
        Effect.andThen(
          Effect.sleep("1 second"),
          Effect.suspend((): ReturnType<KeyStore["claim"]> => ((claims += 1) === 2 ? claimed : notApproved))
        )
      )
      const action = actionOf("second")
      const calling = yield* Effect.forkChild(
        Effect.all([keys.claim(action), keys.claim(action), keys.claim(action), keys.find(action)], {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2 seconds")
      const ends = yield* Fiber.join(calling)
      assert.deepStrictEqual(
        ends.map((end) => end?._tag),
        ["NotApproved", "Claimed", "InFlight", "InFlight"]
      )
      assert.strictEqual(claims, 2)
    })
  )

  it.effect("8.2 after a waiting call is interrupted, the next one has its turn", () =>
    Effect.gen(function* () {
      const keys = keysOf(() => Effect.andThen(Effect.sleep("1 second"), notApproved))
      const action = actionOf("interrupted")
      const claiming = () => Effect.forkChild(keys.claim(action), { startImmediately: true })
      const [first, second, third] = [yield* claiming(), yield* claiming(), yield* claiming()]
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(third))._tag, "NotApproved")
      assert.strictEqual(yield* keys.find(action), undefined)
    })
  )
})
