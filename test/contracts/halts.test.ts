/** Runs the contract of Halts in memory and in a SQLite file. */
import * as HaltsMemory from "#layers/HaltsMemory"
import * as HaltsSql from "#layers/HaltsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Halts } from "#services/Halts"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { haltsContract, sharedHaltsContract } from "./Halts.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-halts-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const inFile = (filename: string) =>
  Layer.fresh(Layer.orDie(Layer.provide(HaltsSql.layer, SqliteNode.layer({ filename }))))
const newFile = () => join(folder, `${(files += 1)}.db`)

haltsContract("memory", Layer.fresh(HaltsMemory.layer))
haltsContract(
  "SQLite file",
  Layer.suspend(() => inFile(newFile()))
)

describe("a SQLite file", () => {
  const shared = newFile()
  sharedHaltsContract("SQLite file", () => inFile(shared))

  it.effect("10.7 a read within half a second of concurrent reads does not query the database again", () => {
    const database = Layer.fresh(SqliteNode.layer({ filename: newFile() }))
    return Effect.gen(function* () {
      const halts = yield* Halts
      const sql = yield* SqlClient.SqlClient
      yield* Effect.all([halts.current, halts.current, halts.current], { concurrency: "unbounded" })
      // a row that another process writes is read only after half a second
      yield* sql`INSERT INTO toolguard_halts (tool, action, operator, reason, at) VALUES ('a', 'halted', 'b', '', 1)`
      assert.strictEqual((yield* halts.current).size, 0)
    }).pipe(Effect.provide(Layer.orDie(Layer.provideMerge(HaltsSql.layer, database))))
  })

  it.effect("10.7 a database without its table fails with HaltsUnavailable, and recovers", () => {
    const database = Layer.fresh(SqliteNode.layer({ filename: newFile() }))
    return Effect.gen(function* () {
      const halts = yield* Halts
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE toolguard_halts RENAME TO elsewhere`
      assert.strictEqual((yield* Effect.flip(halts.halt({ tool: "a", by: "b", reason: "" })))._tag, "HaltsUnavailable")
      yield* sql`ALTER TABLE elsewhere RENAME TO toolguard_halts`
      yield* halts.halt({ tool: "a", by: "b", reason: "" })
      assert.strictEqual((yield* halts.current).size, 1)
    }).pipe(Effect.provide(Layer.orDie(Layer.provideMerge(HaltsSql.layer, database))))
  })
})
