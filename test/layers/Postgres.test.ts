/** Checks the errors for a PostgreSQL address that cannot be used. */
import * as Postgres from "#layers/Postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

const messageOf = (url: string) =>
  SqlClient.SqlClient.pipe(
    Effect.provide(Postgres.layer({ url: Redacted.make(url) })),
    Effect.flip,
    Effect.map(({ message }) => message)
  )

describe("Postgres", () => {
  it.effect("12.3 an address that is not a URL is reported with an example", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("127.0.0.1:5432/test"),
        "Cannot use PostgreSQL. Its address is not a URL like postgres://user:password@host:5432/database."
      )
    })
  )

  it.effect("12.3 a port without a server is reported with the address but without the password", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("postgres://somebody:hunter22@127.0.0.1:9/test"),
        "Cannot use PostgreSQL at 127.0.0.1:9/test. No server answers there: check the host and port, and whether the server is running."
      )
    })
  )

  it.effect("12.3 a plain text instead of a Redacted one is reported with the remedy and without the text", () =>
    Effect.gen(function* () {
      // plain JavaScript may pass any value
      for (const url of ["postgres://a:hunter22@127.0.0.1/test", undefined, Redacted.make(undefined)]) {
        const error = yield* Effect.flip(Effect.provide(SqlClient.SqlClient, Postgres.layer({ url: url as never })))
        assert.strictEqual(
          error.message,
          "Cannot use PostgreSQL. `url` is not a Redacted text: pass `Redacted.make(text)`."
        )
      }
    })
  )
})
