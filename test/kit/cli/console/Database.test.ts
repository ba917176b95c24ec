/** Tests which databases a command line may name. */
import * as Database from "#kit/cli/console/Database"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Problem } from "#kit/cli/console/Problem"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ForgetSql from "#layers/ForgetSql"
import { Forget } from "#services/Forget"
import { folder } from "../../../support/sqliteFile.ts"

describe("--database", () => {
  it.effect("12.3 an error about an address with a password does not contain the password", () =>
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

  it.effect(
    "12.1 a file of 0 bytes leads to the same error in commands that may create a file and in those that may not",
    () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "stores.db")
        writeFileSync(file, "")
        const forget = { service: Forget, layer: ForgetSql.layer, table: "toolguard_calls", contents: "stores" }
        const refused = <A>(layer: Layer.Layer<A, Problem>) =>
          Effect.flip(Effect.scoped(Effect.asVoid(Layer.build(layer))))
        const opened = [
          refused(Database.stores(Option.some(file))),
          refused(Database.open(forget, Option.some(file))),
          refused(Database.open(forget, Option.some(file), true))
        ]
        for (const problem of opened) {
          const { message, remedy } = yield* problem
          assert.deepStrictEqual(
            [message, remedy],
            [
              `Cannot use the SQLite file ${file}.`,
              "It is empty (0 bytes). If it was a store, restore it; to start over, delete it."
            ]
          )
        }
      })
  )
})
