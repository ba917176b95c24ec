import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Guard } from "#src/guard/Guard"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask, outside, tool } from "../pipeline/support.ts"
import { claimed, keyed } from "./keyClaims.ts"

describe("IdempotencyKeysMemory", () => {
  const small = IdempotencyKeysMemory.layerWith({ maxKeys: 3, maxCharacters: 100 })

  it.effect("8.2 when keys of a full tenant expire, new keys are accepted again", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 3; n += 1) yield* claimed(keyed("full", n, { timeToLive: Duration.minutes(n + 1) }))
      yield* Effect.flip(claimed(keyed("full", 3)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* claimed(keyed("full", 3)), "Claimed")
      yield* Effect.flip(claimed(keyed("full", 4)))
    }).pipe(Effect.provide(small))
  )

  it.effect(
    "8.2 if the outcomes of a tenant are too large in total, its next new key is refused, and a repeated key is answered",
    () =>
      Effect.gen(function* () {
        yield* claimed(keyed("full", 0), "x".repeat(100))
        const error = yield* Effect.flip(claimed(keyed("full", 1)))
        assert.include(
          error.detail ?? "",
          "the limit of IdempotencyKeysMemory: outcomes of 100 characters that have not expired"
        )
        assert.strictEqual(yield* claimed(keyed("full", 0)), "Done")
        assert.strictEqual(yield* claimed(keyed("other", 1)), "Claimed")
      }).pipe(Effect.provide(small))
  )

  it.effect("8.2 if the clock jumps a year ahead and back, keys that expired are gone, and the limit still holds", () =>
    Effect.gen(function* () {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      for (let n = 0; n < 3; n += 1) yield* claimed(keyed("full", n))
      yield* TestClock.setTime(now + Duration.toMillis(Duration.days(365)))
      for (let n = 3; n < 6; n += 1) assert.strictEqual(yield* claimed(keyed("full", n)), "Claimed")
      yield* TestClock.setTime(now)
      yield* Effect.flip(claimed(keyed("full", 6)))
      assert.strictEqual(yield* claimed(keyed("full", 3)), "Done")
    }).pipe(Effect.provide(small))
  )

  it.effect("8.2 a claim that was never completed is remembered as long as an outcome, and then frees its place", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeys
      for (let n = 0; n < 3; n += 1) {
        const action = keyed("full", n)
        yield* keys.claim(action)
        yield* keys.leave(action, "interrupted")
      }
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* keys.find(keyed("full", 0)))?._tag, "Lapsed")
      yield* Effect.flip(claimed(keyed("full", 3)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* claimed(keyed("full", 3)), "Claimed")
    }).pipe(Effect.provide(small))
  )

  it.effect("8.2 if the keys of a tenant are full, a write is refused as store_unavailable, with the reason", () => {
    const write = tool("write_it", { access: "write", idempotency: "derived" }, { n: 1 })
    const call = (q: string, tenant: string) =>
      Guard.turn(ask([write.tool], "write_it", { q }), { conversation: "c", turn: "t", tenant })
    return Effect.gen(function* () {
      for (const q of ["a", "b", "c"]) yield* call(q, "full")
      const { envelope } = yield* call("d", "full")
      assert.deepStrictEqual([envelope.error.code, envelope.error.side_effect], ["store_unavailable", "none"])
      assert.include(envelope.error.message, "This tenant has reached the limit of IdempotencyKeysMemory")
      assert.strictEqual((yield* call("d", "other")).envelope.status, "success")
      assert.strictEqual(write.runs(), 4)
    }).pipe(outside([write.layer], Guard.layerMemoryWith(IdempotencyKeysMemory.layerWith({ maxKeys: 3 }))))
  })
})
