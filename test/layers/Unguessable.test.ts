import { unguessableBytes, unguessableId } from "#services/Unguessable"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

describe("the platform's unguessable bytes", () => {
  it.effect("no two ids share their bytes, although several are drawn at once", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.forEach(Array.from({ length: 1_000 }), () => unguessableId)
      for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
      const halves = ids.flatMap((id) => [id.slice(0, 16), id.slice(16)])
      assert.strictEqual(new Set(halves).size, 2_000)
    })
  )

  it.effect("each caller has bytes of its own, of any count", () =>
    Effect.gen(function* () {
      for (const count of [0, 1, 64, 65, 1_024, 5_000]) {
        const bytes = yield* unguessableBytes(count)
        assert.strictEqual(bytes.length, count)
        const before = [...bytes]
        const other = yield* unguessableBytes(count)
        other.fill(0)
        assert.deepStrictEqual([...bytes], before)
      }
    })
  )
})
