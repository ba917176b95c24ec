/** Tests the store of idempotency keys in memory with as many keys as a tenant may have. */
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claimed, keyed } from "./keyClaims.ts"

describe("IdempotencyKeysMemory", () => {
  it.effect(
    "8.2 if a tenant has 100,000 keys, its next new key is refused, and its first key and those of another tenant are kept",
    () =>
      Effect.gen(function* () {
        yield* claimed(keyed("other", 0))
        for (let n = 0; n < 100_000; n += 1) yield* claimed(keyed("full", n))
        const error = yield* Effect.flip(claimed(keyed("full", 100_000)))
        assert.strictEqual(
          error.detail,
          "This tenant has reached the limit of IdempotencyKeysMemory: 100000 keys that have not expired. Nothing was done. IdempotencyKeysSql and IdempotencyKeysRedis have no such limit."
        )
        assert.deepStrictEqual(
          [yield* claimed(keyed("full", 0)), yield* claimed(keyed("other", 0)), yield* claimed(keyed("other", 1))],
          ["Done", "Done", "Claimed"]
        )
      }).pipe(Effect.provide(IdempotencyKeysMemory.layer))
  )
})
