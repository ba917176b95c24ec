/** Tests which databases a command line may name. */
import * as Database from "#kit/cli/console/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"

describe("--database", () => {
  it.effect("12.3 an address with a password → an error that does not contain the password", () =>
    Effect.gen(function* () {
      for (const address of ["postgres://u:hunter22@127.0.0.1:9/x", "postgresql://u@127.0.0.1:9/x?password=hunter22"]) {
        const error = yield* Effect.flip(Effect.provide(Effect.void, Database.stores(Option.some(address))))
        assert.strictEqual(error.exitCode, 2)
        assert.include(error.message, "contains a password")
        assert.include(error.remedy, "TOOLGUARD_DATABASE")
        assert.notInclude(error.message + error.remedy, "hunter22")
      }
      const other = yield* Effect.flip(
        Effect.provide(Effect.void, Database.stores(Option.some("postgres://u@127.0.0.1:9/x")))
      )
      assert.include(other.message, "Cannot use PostgreSQL at 127.0.0.1:9/x")
    })
  )
})
