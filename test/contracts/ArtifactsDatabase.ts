/** Tests of Artifacts that are stored in a database. */
import * as ArtifactsSql from "#layers/ArtifactsSql"
import { Artifacts } from "#services/Artifacts"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { turn } from "./values.ts"

const timeToLive = Duration.hours(1)
const text = JSON.stringify("x".repeat(998))

/** Defines the tests that apply only to databases. */
export const databaseContract = (
  name: string,
  database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>
): void => {
  const layer = Layer.provideMerge(ArtifactsSql.layer, database)
  const count = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT id FROM toolguard_artifacts WHERE ${sql.in("id", ids)}`
      return rows.length
    })

  describe(`Artifacts (${name}), as a database`, () => {
    it.effect("4.14 a text survives a restart", () =>
      Effect.gen(function* () {
        const put = Effect.flatMap(Artifacts, ({ put }) => put({ turn, text, timeToLive }))
        const id = yield* Effect.provide(put, Layer.fresh(layer))
        const read = Effect.flatMap(Artifacts, ({ read }) => read(turn, id))
        assert.strictEqual(yield* Effect.provide(read, Layer.fresh(layer)), text)
      })
    )

    it.effect("4.14 removes expired texts, and no others", () =>
      Effect.gen(function* () {
        const { put } = yield* Artifacts
        const short = yield* put({ turn, text, timeToLive: Duration.minutes(1) })
        const long = yield* put({ turn, text, timeToLive: Duration.days(200) })
        // the database responds in real time, and the sweep runs every ten minutes of the test clock
        while ((yield* count([short])) > 0) {
          yield* TestClock.adjust("10 minutes")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
        assert.deepStrictEqual([yield* count([short]), yield* count([long])], [0, 1])
      }).pipe(Effect.provide(layer))
    )

    it.effect("4.14 a failing store causes a typed error on writing and on reading", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { put, read } = yield* Artifacts
        yield* sql`ALTER TABLE toolguard_artifacts RENAME TO toolguard_moved`
        const errors = yield* Effect.all([
          Effect.flip(put({ turn, text, timeToLive })),
          Effect.flip(read(turn, "0".repeat(32)))
        ]).pipe(Effect.ensuring(Effect.orDie(sql`ALTER TABLE toolguard_moved RENAME TO toolguard_artifacts`)))
        assert.deepStrictEqual(
          errors.map(({ _tag }) => _tag),
          ["ArtifactsUnavailable", "ArtifactsUnavailable"]
        )
      }).pipe(Effect.provide(layer))
    )
  })
}
