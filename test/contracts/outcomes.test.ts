/** Runs the contract of UnknownOutcomes in memory and in a SQLite file. */
import * as SqliteNode from "#layers/SqliteNode"
import * as UnknownOutcomesMemory from "#layers/UnknownOutcomesMemory"
import * as UnknownOutcomesSql from "#layers/UnknownOutcomesSql"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestTime } from "../support/storeTime.ts"
import { sharedOutcomesContract, unknownOutcomesContract } from "./UnknownOutcomes.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-outcomes-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const inFile = (filename: string) =>
  Layer.fresh(Layer.orDie(Layer.provide(UnknownOutcomesSql.layer, onTestTime(SqliteNode.layer({ filename })))))
const newFile = () => join(folder, `${(files += 1)}.db`)

unknownOutcomesContract("memory", Layer.fresh(UnknownOutcomesMemory.layer))
unknownOutcomesContract(
  "SQLite file",
  Layer.suspend(() => inFile(newFile()))
)

const added = {
  binding: "b",
  isAnswered: false,
  tool: "refund",
  code: "outcome_unknown",
  sentence: "",
  arguments: undefined,
  idempotencyKey: "",
  traceId: "tr_1"
}

describe("a SQLite file", () => {
  const shared = newFile()
  sharedOutcomesContract("SQLite file", () => inFile(shared))

  it.effect("10.5 outcomes are removed after their time to live", () => {
    const database = Layer.fresh(onTestTime(SqliteNode.layer({ filename: newFile() })))
    const layer = UnknownOutcomesSql.layerWith({ timeToLive: "1 day" })
    return Effect.gen(function* () {
      const outcomes = yield* UnknownOutcomes
      const { id } = yield* outcomes.add(added)
      yield* TestClock.adjust("23 hours")
      assert.isDefined(yield* outcomes.find(id))
      yield* TestClock.adjust("2 hours")
      assert.isUndefined(yield* outcomes.find(id))
    }).pipe(Effect.provide(Layer.orDie(Layer.provide(layer, database))))
  })

  it.effect("10.5 a database without its table fails with UnknownOutcomesUnavailable", () => {
    const database = Layer.fresh(onTestTime(SqliteNode.layer({ filename: newFile() })))
    return Effect.gen(function* () {
      const outcomes = yield* UnknownOutcomes
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP TABLE toolguard_outcomes`
      assert.strictEqual((yield* Effect.flip(outcomes.add(added)))._tag, "UnknownOutcomesUnavailable")
    }).pipe(Effect.provide(Layer.orDie(Layer.provideMerge(UnknownOutcomesSql.layer, database))))
  })
})
