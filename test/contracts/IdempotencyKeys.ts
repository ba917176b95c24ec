/** Tests that every layer of IdempotencyKeys must pass [8.2, 8.3]. */
import { type Claim, IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"

export const actionOf = (tenant: string): KeyClaim => ({
  tenant,
  key: "idem_1",
  binding: 'write_it {"q":"a"}',
  timeToLive: Duration.hours(24),
  lease: Duration.seconds(30),
  callId: "call_1",
  isResumed: false
})

const ownerOf = (claim: Claim): string =>
  claim._tag === "Claimed" ? claim.owner : assert.fail(`Claimed expected, got ${claim._tag}`)

const tagsOf = (claims: ReadonlyArray<{ readonly _tag: string } | undefined>) => claims.map((claim) => claim?._tag)

/** Defines the tests. If `isShared` is set, keys are stored outside the process, and two layers act as two processes. */
export const idempotencyKeysContract = <E>(
  name: string,
  layer: Layer.Layer<IdempotencyKeys, E>,
  { isShared }: { readonly isShared: boolean }
): void => {
  let count = 0
  /** Returns a separate action for each test, so that tests do not share rows. */
  const fresh = () => actionOf(`${name} ${(count += 1)}`)

  describe(`IdempotencyKeys (${name})`, () => {
    const using = <A, F>(use: (keys: IdempotencyKeys["Service"], action: KeyClaim) => Effect.Effect<A, F>) =>
      Effect.flatMap(IdempotencyKeys, (keys) => use(keys, fresh())).pipe(Effect.provide(layer))

    it.effect("8.2 a key is claimed once", () =>
      using(({ claim, find }, action) =>
        Effect.gen(function* () {
          assert.isUndefined(yield* find(action))
          ownerOf(yield* claim(action))
          assert.deepStrictEqual(tagsOf([yield* claim(action), yield* find(action)]), ["InFlight", "InFlight"])
        })
      )
    )

    it.effect("10.5 a completed key is released once, and only if its stored outcome is the given text", () =>
      using(({ claim, complete, find, release }, action) =>
        Effect.gen(function* () {
          assert.isFalse(yield* release(action, "unknown"))
          const owner = ownerOf(yield* claim(action))
          assert.isFalse(yield* release(action, "unknown"), "an action in flight keeps its key")
          yield* complete(action, owner, "unknown", true)
          assert.isFalse(yield* release(action, "done"))
          assert.deepStrictEqual(tagsOf([yield* find(action)]), ["Done"])
          const all = yield* Effect.all([release(action, "unknown"), release(action, "unknown")], {
            concurrency: "unbounded"
          })
          assert.sameMembers(all, [true, false])
          assert.isUndefined(yield* find(action))
          ownerOf(yield* claim(action))
        })
      )
    )

    it.effect("8.2 `find` claims nothing", () =>
      using(({ claim, find }, action) =>
        Effect.gen(function* () {
          yield* find(action)
          ownerOf(yield* claim(action))
        })
      )
    )

    it.effect("8.2 checks and claims in one step: only one of fifty concurrent calls claims the key", () =>
      using(({ claim }, action) =>
        Effect.gen(function* () {
          const all = yield* Effect.all(
            Array.from({ length: 50 }, () => claim(action)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            all.filter(({ _tag }) => _tag === "Claimed"),
            1
          )
        })
      )
    )

    it.effect("8.2 calls join a claim in flight and receive its outcome", () =>
      using(({ claim, complete }, action) =>
        Effect.gen(function* () {
          const owner = ownerOf(yield* claim(action))
          const joining = Effect.flatMap(
            claim(action),
            (claimed) =>
              (claimed._tag === "InFlight" ? claimed.outcome : undefined) ?? Effect.die(new Error(claimed._tag))
          )
          const joined = yield* Effect.forkChild(Effect.all([joining, joining], { concurrency: 2 }), {
            startImmediately: true
          })
          yield* complete(action, owner, "done", true)
          assert.deepStrictEqual(yield* Fiber.join(joined), ["done", "done"])
        })
      )
    )

    it.effect("8.2 a call that joined a claim receives its outcome, even if the claim frees its key", () =>
      using(({ claim, complete }, action) =>
        Effect.gen(function* () {
          const owner = ownerOf(yield* claim(action))
          const claimed = yield* claim(action)
          yield* complete(action, owner, "failed", false)
          assert.strictEqual(claimed._tag === "InFlight" && (yield* claimed.outcome ?? Effect.succeed("")), "failed")
        })
      )
    )

    it.effect("8.3 a resumed call takes over an abandoned claim, and joined calls receive its outcome", () =>
      using(({ claim, complete, find, leave }, action) =>
        Effect.gen(function* () {
          const owner = ownerOf(yield* claim(action))
          const joined = yield* claim(action)
          yield* leave(action, "interrupted")
          assert.strictEqual(joined._tag === "InFlight" && (yield* joined.outcome ?? Effect.succeed("")), "interrupted")
          const another = yield* claim({ ...action, callId: "another" })
          assert.deepStrictEqual(
            [another._tag, another._tag === "InFlight" && another.outcome],
            ["InFlight", undefined]
          )
          const resumed = { ...action, isResumed: true }
          assert.strictEqual((yield* find(resumed))?._tag, "Lapsed")
          const taken = yield* claim(resumed)
          assert.isDefined(taken._tag === "Claimed" ? taken.lapsed : undefined)
          assert.isFalse(yield* complete(action, owner, "late", true))
        })
      )
    )

    it.effect("8.2 the same key with other arguments is a conflict, whether it is in flight or completed", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          const other = { ...action, binding: 'write_it {"q":"b"}' }
          const owner = ownerOf(yield* claim(action))
          assert.deepStrictEqual(tagsOf([yield* claim(other), yield* find(other)]), ["Conflict", "Conflict"])
          yield* complete(action, owner, "done", true)
          assert.deepStrictEqual(tagsOf([yield* claim(other), yield* find(other)]), ["Conflict", "Conflict"])
        })
      )
    )

    it.effect("8.3 pairs of tenant and key are separate, whatever characters they contain", () =>
      using(({ claim }, action) =>
        Effect.gen(function* () {
          for (const [tenant, key] of [
            ["a", "k"],
            ["b", "k"],
            // ids can contain any characters: these two must be distinguished
            ['x","y', "z"],
            ["x", 'y","z'],
            ["\u0000", "k"],
            ["\ud800", "k"],
            ["\udfff", "k"],
            ["a", "\u0000"],
            ["a", "\ud800"],
            ["a", "\udfff"]
          ] as const) {
            ownerOf(yield* claim({ ...action, tenant, key }))
          }
        })
      )
    )

    it.effect("8.3 another principal neither gets the outcome of a key nor is blocked by the key", () =>
      using(({ claim, complete, find, release }, action) =>
        Effect.gen(function* () {
          const owners = [
            action,
            { ...action, principal: "alice" },
            { ...action, principal: "bob" },
            { ...action, principal: "" },
            // these tenants differ from the tenant and principal above, although their texts look alike
            { ...action, tenant: JSON.stringify([action.tenant, "alice"]) },
            { ...action, tenant: `[${JSON.stringify(action.tenant)}]` },
            { ...action, tenant: action.tenant, principal: 'alice","x' },
            { ...action, principal: "\u0000\ud800" }
          ]
          const actionAt = (at: number) => ({ ...owners[at]!, binding: `write_it ${at}` })
          for (const at of owners.keys()) {
            const owner = ownerOf(yield* claim(actionAt(at)))
            yield* complete(actionAt(at), owner, `outcome ${at}`, true)
          }
          for (const at of owners.keys()) {
            const found = yield* find(actionAt(at))
            assert.strictEqual(found?._tag === "Done" ? found.outcome : found?._tag, `outcome ${at}`)
          }
          assert.isTrue(yield* release(actionAt(1), "outcome 1"))
          assert.isUndefined(yield* find(actionAt(1)))
          assert.strictEqual((yield* find(actionAt(2)))?._tag, "Done")
        })
      )
    )

    it.effect("8.2 a stored outcome is returned with the id of its call", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          const text = '{"_tag":"Success","result":"Zürich 🙂 \\u0001 \' \\" \\\\"}'
          assert.isTrue(yield* complete(action, ownerOf(yield* claim(action)), text, true))
          const done = { _tag: "Done", outcome: text, callId: "call_1" } as const
          const again = { ...action, callId: "call_2" }
          assert.deepStrictEqual([yield* claim(again), yield* find(again)], [done, done])
        })
      )
    )

    it.effect("8.2 an outcome that is not stored frees the key", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          assert.isTrue(yield* complete(action, ownerOf(yield* claim(action)), "failed", false))
          assert.isUndefined(yield* find(action))
          ownerOf(yield* claim(action))
        })
      )
    )

    it.effect("8.2 a finished key is removed after its time to live, not before", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          const short = { ...action, timeToLive: Duration.minutes(1) }
          yield* complete(short, ownerOf(yield* claim(short)), "done", true)
          yield* TestClock.adjust("59999 millis")
          assert.strictEqual((yield* find(short))?._tag, "Done")
          yield* TestClock.adjust("1 millis")
          assert.isUndefined(yield* find(short))
          const fresh = yield* claim({ ...short, binding: "another action" })
          assert.isUndefined(fresh._tag === "Claimed" ? fresh.lapsed : assert.fail(fresh._tag))
        })
      )
    )

    it.effect("8.2 durations can be fractions of a millisecond, or infinite", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          const odd = { ...action, lease: Duration.millis(1_500.25), timeToLive: Duration.infinity }
          assert.isTrue(yield* complete(odd, ownerOf(yield* claim(odd)), "done", true))
          yield* TestClock.adjust("2 days")
          assert.strictEqual((yield* find(odd))?._tag, "Done")
        })
      )
    )

    it.effect("8.2 only its owner completes a claim, and only once", () =>
      using(({ claim, complete, find }, action) =>
        Effect.gen(function* () {
          assert.isFalse(yield* complete(action, "unknown", "done", true))
          assert.isUndefined(yield* find(action))
          const owner = ownerOf(yield* claim(action))
          assert.isTrue(yield* complete(action, owner, "one", true))
          assert.isFalse(yield* complete(action, owner, "two", true))
          assert.isFalse(yield* complete(action, owner, "two", false))
          assert.deepStrictEqual(yield* find(action), { _tag: "Done", outcome: "one", callId: "call_1" })
        })
      )
    )

    it.effect("10.3 a claim consumes its approval, and fails without one", () =>
      using(({ claim, find }, action) =>
        Effect.gen(function* () {
          const uses = yield* Ref.make(0)
          const consume = Ref.modify(uses, (count) => [count === 0, count + 1])
          const second = { ...action, key: "idem_2" }
          ownerOf(yield* claim(action, consume))
          assert.deepStrictEqual(yield* claim(second, consume), { _tag: "NotApproved" })
          assert.isUndefined(yield* find(second))
          ownerOf(yield* claim(second))
        })
      )
    )

    it.effect("10.3 an approval is not consumed for a key that is completed or in flight", () =>
      using(({ claim, complete }, action) =>
        Effect.gen(function* () {
          const consume = Effect.sync(() => assert.fail("consumed"))
          const owner = ownerOf(yield* claim(action))
          yield* claim(action, consume)
          yield* complete(action, owner, "done", true)
          assert.strictEqual((yield* claim(action, consume))._tag, "Done")
        })
      )
    )
  })

  if (!isShared) return
  describe(`IdempotencyKeys of two processes (${name})`, () => {
    const process = Layer.fresh(layer)
    const using = <A, F>(
      use: (one: IdempotencyKeys["Service"], two: IdempotencyKeys["Service"], action: KeyClaim) => Effect.Effect<A, F>
    ) =>
      Effect.gen(function* () {
        const one = Context.get(yield* Layer.build(process), IdempotencyKeys)
        const two = Context.get(yield* Layer.build(process), IdempotencyKeys)
        assert.notStrictEqual(one, two)
        return yield* use(one, two, fresh())
      })

    it.effect("8.2 a claim of one process is visible in the other, but cannot be joined", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.claim(action)
          const inFlight = { _tag: "InFlight", outcome: undefined } as const
          assert.deepStrictEqual([yield* two.claim(action), yield* two.find(action)], [inFlight, inFlight])
        })
      )
    )

    it.effect("8.2 only one of fifty concurrent claims in both processes succeeds", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          const all = yield* Effect.all(
            Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? one : two).claim(action)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            all.filter(({ _tag }) => _tag === "Claimed"),
            1
          )
        })
      )
    )

    it.effect("8.2 a key that is completed in one process is completed in the other", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.complete(action, ownerOf(yield* one.claim(action)), "done", true)
          assert.deepStrictEqual(yield* two.claim(action), { _tag: "Done", outcome: "done", callId: "call_1" })
        })
      )
    )

    it.effect("8.3 an unfinished claim lapses with its lease, and another call takes it over", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          const former = ownerOf(yield* one.claim(action))
          yield* TestClock.adjust("29999 millis")
          assert.strictEqual((yield* two.find(action))?._tag, "InFlight")
          yield* TestClock.adjust("1 millis")
          assert.deepStrictEqual(yield* two.find(action), { _tag: "Lapsed", remainingMillis: 0 })
          const taken = yield* two.claim(action)
          assert.deepStrictEqual(taken._tag === "Claimed" && taken.lapsed, { remainingMillis: 0 })
          assert.isFalse(yield* one.complete(action, former, "late", true), "the first owner no longer holds the claim")
          assert.strictEqual((yield* two.find(action))?._tag, "InFlight")
          assert.isTrue(yield* two.complete(action, ownerOf(taken), "done", true))
        })
      )
    )

    it.effect("8.3 the claim that takes over an unfinished claim has a higher fencing token", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          const tokens: Array<number> = []
          for (const keys of [one, two]) {
            const claimed = yield* keys.claim({ ...action, isResumed: true })
            if (claimed._tag === "Claimed") tokens.push(claimed.fencingToken)
          }
          assert.lengthOf(tokens, 2)
          assert.isTrue(tokens.every(Number.isSafeInteger))
          assert.deepStrictEqual(
            [...new Set(tokens)].toSorted((a, b) => a - b),
            tokens
          )
        })
      )
    )

    it.effect("8.3 a claim is renewed by its owner, until another call takes it over or it is completed", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          const former = ownerOf(yield* one.claim(action))
          yield* TestClock.adjust("29 seconds")
          assert.isTrue(yield* one.renew(action, former))
          yield* TestClock.adjust("29 seconds")
          assert.strictEqual((yield* two.find(action))?._tag, "InFlight")
          yield* TestClock.adjust("1 second")
          // the lease has ended, and no other call has claimed the key
          assert.isTrue(yield* one.renew(action, former))
          yield* TestClock.adjust("30 seconds")
          const owner = ownerOf(yield* two.claim(action))
          assert.deepStrictEqual([yield* one.renew(action, former), yield* two.renew(action, owner)], [false, true])
          yield* two.complete(action, owner, "done", true)
          assert.isFalse(yield* two.renew(action, owner))
          assert.isFalse(yield* two.renew({ ...action, key: "unknown" }, owner))
        })
      )
    )

    it.effect("8.3 a resumed call learns for how long the request of its predecessor may still arrive", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.claim(action)
          yield* TestClock.adjust("10 seconds")
          const resumed = { ...action, isResumed: true }
          assert.deepStrictEqual(yield* two.find(resumed), { _tag: "Lapsed", remainingMillis: 20_000 })
          const taken = yield* two.claim(resumed)
          assert.deepStrictEqual(taken._tag === "Claimed" && taken.lapsed, { remainingMillis: 20_000 })
        })
      )
    )

    it.effect(
      "8.2 if the owner stores the same outcome again, nothing changes, because the first answer may have been lost",
      () =>
        using((one, two, action) =>
          Effect.gen(function* () {
            const owner = ownerOf(yield* one.claim(action))
            const complete = one.complete(action, owner, "done", true) // a retry runs this effect again
            assert.deepStrictEqual([yield* complete, yield* complete], [true, true])
            assert.strictEqual((yield* two.find(action))?._tag, "Done")
          })
        )
    )

    it.effect("8.3 an unfinished claim is not removed after its time to live", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.claim(action)
          yield* TestClock.adjust("3 days")
          assert.strictEqual((yield* two.find(action))?._tag, "Lapsed")
          const other = { ...action, binding: "another action" }
          assert.deepStrictEqual(tagsOf([yield* two.find(other), yield* two.claim(other)]), ["Conflict", "Conflict"])
        })
      )
    )

    it.effect("8.4 a resumed call takes over its own claim immediately, and other calls do not", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.claim(action)
          const otherCall = { ...action, callId: "call_2", isResumed: true }
          assert.deepStrictEqual(tagsOf([yield* two.find(otherCall), yield* two.claim(otherCall)]), [
            "InFlight",
            "InFlight"
          ])
          const resumed = { ...action, isResumed: true }
          assert.strictEqual((yield* two.find(resumed))?._tag, "Lapsed")
          const taken = yield* two.claim(resumed)
          assert.isDefined(taken._tag === "Claimed" ? taken.lapsed : undefined)
        })
      )
    )

    it.effect("10.3 a lapsed claim stays unchanged without an approval", () =>
      using((one, two, action) =>
        Effect.gen(function* () {
          yield* one.claim(action)
          yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual(yield* two.claim(action, Effect.succeed(false)), { _tag: "NotApproved" })
          assert.strictEqual((yield* two.find(action))?._tag, "Lapsed")
        })
      )
    )
  })
}
