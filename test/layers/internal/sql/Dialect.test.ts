/** Runs the contract of dialects on SQLite, and checks that a database without a dialect is refused. */
import * as Database from "#layers/internal/sql/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sqliteFile } from "../../../support/sqliteFile.ts"
import { dialectContract } from "./DialectContract.ts"

dialectContract("SQLite", sqliteFile)

describe("a database without a dialect", () => {
  it.effect("12.1 is refused with a list of supported databases", () =>
    Effect.gen(function* () {
      const other = Layer.effect(
        SqlClient.SqlClient,
        Effect.map(SqlClient.SqlClient, (sql) =>
          Object.assign((...args: Parameters<typeof sql>) => sql(...args), sql, {
            onDialectOrElse: ({ orElse }: { readonly orElse: () => unknown }) => orElse()
          } as Partial<SqlClient.SqlClient>)
        )
      ).pipe(Layer.provide(sqliteFile))
      const error = yield* Effect.flip(
        Effect.provide(Effect.asVoid(Database.Database), Layer.provide(Database.layer, other))
      )
      assert.strictEqual(
        error.message,
        "Cannot use the database of the stores. The stores support SQLite and PostgreSQL: use one of these."
      )
    })
  )
})
