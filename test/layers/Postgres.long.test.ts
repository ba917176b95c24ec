/** Checks the types that PostgreSQL returns to the stores. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { needs } from "../support/prerequisites.ts"
import { postgres, scratchDatabase } from "../support/servers.ts"

describe("Postgres, on a server", needs(postgres), () => {
  const database = scratchDatabase("connection")

  it.effect("12.3 runs statements, and returns a BIGINT as a bigint", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT ${"a"}::text AS text, 7::bigint AS wide`, [{ text: "a", wide: 7n }])
    }).pipe(Effect.provide(database))
  )
})
