/** What every layer of IdempotencyKeys promises (SPEC 8.2). */
import type { Outcome } from "#domain/Outcome"
import { IdempotencyKeys, type KeyClaim } from "#services/IdempotencyKeys"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { done, human, mismatch, permanent, transient } from "./values.ts"

const action: KeyClaim = {
  tenant: "tenant",
  key: "idem_1",
  binding: 'write_it {"q":"a"}',
  timeToLive: Duration.hours(24)
}

export const idempotencyKeysContract = (name: string, layer: Layer.Layer<IdempotencyKeys>): void => {
  describe(`IdempotencyKeys (${name})`, () => {
    const using = <A, E>(use: (keys: IdempotencyKeys["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(IdempotencyKeys, use).pipe(Effect.provide(layer))

    it.effect("8.2 a key is claimed once", () =>
      using(({ claim, find }) =>
        Effect.gen(function* () {
          assert.isUndefined(yield* find(action))
          assert.deepStrictEqual(yield* claim(action), { _tag: "Claimed" })
          assert.strictEqual((yield* claim(action))._tag, "InFlight")
          assert.strictEqual((yield* find(action))?._tag, "InFlight")
        })
      )
    )

    it.effect("8.2 looking claims nothing", () =>
      using(({ claim, find }) =>
        Effect.gen(function* () {
          yield* find(action)
          assert.deepStrictEqual(yield* claim(action), { _tag: "Claimed" })
        })
      )
    )

    it.effect("8.2 checks and claims in one step: of fifty at once one wins", () =>
      using(({ claim }) =>
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

    it.effect("8.2 one that is in flight is joined, and its outcome handed to all", () =>
      using(({ claim, complete }) =>
        Effect.gen(function* () {
          yield* claim(action)
          const joining = Effect.flatMap(claim(action), (claimed) =>
            claimed._tag === "InFlight" ? claimed.outcome : Effect.die(new Error(claimed._tag))
          )
          const joined = yield* Effect.forkChild(Effect.all([joining, joining], { concurrency: 2 }), {
            startImmediately: true
          })
          yield* complete(action, done({ n: 1 }))
          assert.deepStrictEqual(yield* Fiber.join(joined), [done({ n: 1 }), done({ n: 1 })])
        })
      )
    )

    it.effect("8.2 the same key with other arguments is a conflict, in flight and when it is done", () =>
      using(({ claim, complete, find }) =>
        Effect.gen(function* () {
          const other = { ...action, binding: 'write_it {"q":"b"}' }
          yield* claim(action)
          assert.deepStrictEqual(
            [yield* claim(other), yield* find(other)],
            [{ _tag: "Conflict" }, { _tag: "Conflict" }]
          )
          yield* complete(action, done(1))
          assert.deepStrictEqual(
            [yield* claim(other), yield* find(other)],
            [{ _tag: "Conflict" }, { _tag: "Conflict" }]
          )
        })
      )
    )

    it.effect("8.3 keys belong to a tenant", () =>
      using(({ claim }) =>
        Effect.gen(function* () {
          for (const [tenant, key] of [
            ["a", "k"],
            ["b", "k"],
            // ids may hold any characters: these two must not be taken for each other
            ['x","y', "z"],
            ["x", 'y","z']
          ] as const) {
            assert.deepStrictEqual(yield* claim({ ...action, tenant, key }), { _tag: "Claimed" })
          }
        })
      )
    )

    const kept: ReadonlyArray<readonly [string, Outcome]> = [
      ["a success", done({ n: 1 })],
      ["an effect whose answer cannot be read", mismatch({ sideEffect: "committed" })],
      ["an outcome that nobody knows", human({ sideEffect: "unknown" })]
    ]
    for (const [what, outcome] of kept) {
      it.effect(`8.2 ${what} is kept, and given to who asks`, () =>
        using(({ claim, complete, find }) =>
          Effect.gen(function* () {
            yield* claim(action)
            yield* complete(action, outcome)
            assert.deepStrictEqual(yield* claim(action), { _tag: "Done", outcome })
            assert.deepStrictEqual(yield* find(action), { _tag: "Done", outcome })
          })
        )
      )
    }

    const freed: ReadonlyArray<readonly [string, Outcome]> = [
      ["a transient failure", transient()],
      ["a permanent failure", permanent()],
      ["a call that a person must decide", human()]
    ]
    for (const [what, outcome] of freed) {
      it.effect(`8.2 ${what} that did nothing frees the key`, () =>
        using(({ claim, complete, find }) =>
          Effect.gen(function* () {
            yield* claim(action)
            yield* complete(action, outcome)
            assert.isUndefined(yield* find(action))
            assert.deepStrictEqual(yield* claim(action), { _tag: "Claimed" })
          })
        )
      )
    }

    it.effect("8.2 what was done is forgotten when its time is over, not before", () =>
      using(({ claim, complete, find }) =>
        Effect.gen(function* () {
          const short = { ...action, timeToLive: Duration.minutes(1) }
          yield* claim(short)
          yield* complete(short, done(1))
          yield* TestClock.adjust("59999 millis")
          assert.strictEqual((yield* find(short))?._tag, "Done")
          yield* TestClock.adjust("1 millis")
          assert.isUndefined(yield* find(short))
          assert.deepStrictEqual(yield* claim({ ...short, binding: "another action" }), { _tag: "Claimed" })
        })
      )
    )

    it.effect("8.2 completing what nobody claimed, or what is done, changes nothing", () =>
      using(({ claim, complete, find }) =>
        Effect.gen(function* () {
          yield* complete(action, done(1))
          assert.isUndefined(yield* find(action))
          yield* claim(action)
          yield* complete(action, done(1))
          yield* complete(action, done(2))
          assert.deepStrictEqual(yield* find(action), { _tag: "Done", outcome: done(1) })
        })
      )
    )
  })
}
