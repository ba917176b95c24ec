/** Tests the source of ids that are derived from a seed. */
import * as UnguessableSeeded from "#layers/UnguessableSeeded"
import { isUnguessableId, unguessableBytes, unguessableId } from "#services/Unguessable"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const sequence = Effect.all([unguessableId, unguessableId, unguessableBytes(40)])

const seeded = (seed: string | number) => Effect.provide(sequence, UnguessableSeeded.layer(seed))

describe("UnguessableSeeded", () => {
  it.effect("equal seeds give equal ids, each of which differs from the others", () =>
    Effect.gen(function* () {
      const [one, two, bytes] = yield* seeded(7)
      assert.deepStrictEqual(yield* seeded(7), [one, two, bytes])
      assert.notStrictEqual(one, two)
      assert.isTrue(isUnguessableId(one) && isUnguessableId(two))
      assert.strictEqual(bytes.length, 40)
      assert.notDeepEqual(bytes.subarray(0, 8), bytes.subarray(32))
    })
  )

  it.effect("different seeds give different ids, even for a number and the same number as text", () =>
    Effect.gen(function* () {
      assert.notDeepEqual(yield* seeded(7), yield* seeded("7"))
      assert.notDeepEqual(yield* seeded(7), yield* seeded(8))
    })
  )

  it.effect("without a layer, ids come from the platform's source and differ", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([unguessableId, unguessableId])
      assert.isTrue(isUnguessableId(one) && isUnguessableId(two))
      assert.notStrictEqual(one, two)
    })
  )
})
