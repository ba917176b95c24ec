/** Checks that a text that is built once runs with the values of each use. */
import * as StatementText from "#layers/internal/sql/StatementText"
import * as StoreTime from "#layers/internal/sql/StoreTime"
import * as SqliteNode from "#layers/SqliteNode"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

interface Values {
  readonly first: string
  readonly second: number | null
}

const using = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(SqliteNode.layer({ filename: ":memory:" })))

describe("StatementText", () => {
  it.effect("12.1 is built once, and runs with the values of each use and its own constants", () =>
    using((sql) =>
      Effect.gen(function* () {
        let built = 0
        const time = yield* Effect.provideService(
          StoreTime.make(sql, sql.literal("7")),
          StoreTime.StoreTime,
          "database"
        )
        const run = StatementText.make<Values, object>(
          sql,
          time,
          (value, { afterValue, now }) => {
            built++
            return [
              sql`SELECT ${value("second")} AS second, ${"own"} AS own, ${value("first")} AS first, ${now} AS now,
                ${value("first")} AS again, ${afterValue(value("second"))} AS later`
            ]
          },
          ([statement]) => statement ?? Effect.succeed([])
        )
        const row = { own: "own", now: 7 }
        assert.deepStrictEqual(yield* run({ first: "a", second: 1 }), [
          { ...row, second: 1, first: "a", again: "a", later: 8 }
        ])
        assert.deepStrictEqual(yield* run({ first: "b", second: null }), [
          { ...row, second: null, first: "b", again: "b", later: null }
        ])
        assert.strictEqual(built, 1)
      })
    )
  )

  it.effect("12.1 contains the time of each use if the store takes the time of this process", () =>
    using((sql) =>
      Effect.gen(function* () {
        const time = yield* Effect.provideService(StoreTime.make(sql, sql.literal("7")), StoreTime.StoreTime, "process")
        const run = StatementText.make<{ readonly millis: number }, object>(
          sql,
          time,
          (value, { afterValue }) => [sql`SELECT ${afterValue(value("millis"))} AS later`],
          ([statement]) => statement ?? Effect.succeed([])
        )
        yield* TestClock.setTime(1_000)
        assert.deepStrictEqual(yield* run({ millis: 5 }), [{ later: 1_005 }])
        yield* TestClock.setTime(2_000)
        assert.deepStrictEqual(yield* run({ millis: 6 }), [{ later: 2_006 }])
      })
    )
  )

  it("8.2 a fraction of a millisecond is rounded up, and an infinite duration ends in 100,000 years", () => {
    assert.strictEqual(StoreTime.wholeMillis(Duration.millis(1.25)), 2)
    assert.strictEqual(StoreTime.wholeMillis(Duration.infinity), 100_000 * 365 * 86_400_000)
  })
})
