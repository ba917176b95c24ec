/** Checks the SQLite client while several processes create the same files. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { race } from "../support/race.ts"
import { folder } from "../support/sqliteFile.ts"

describe("SqliteNode", () => {
  it.live("12.1 twelve processes can create the same files concurrently without a lock error", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const files = Array.from({ length: 200 }, (_, n) => join(path, `${n}.db`))
      const racer = "test/layers/sqliteOpener.ts"
      const results = yield* Effect.promise(() =>
        race<ReadonlyArray<string>>(
          racer,
          Array.from({ length: 12 }, () => files)
        )
      )
      assert.deepStrictEqual(new Set(results.flat()), new Set(["opened"]))
      assert.strictEqual(results.flat().length, 2400)
    })
  )
})
