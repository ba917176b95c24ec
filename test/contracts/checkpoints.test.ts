/** Runs the contract of Checkpoints in memory and in SQLite, and tests the removal of completed runs. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Checkpoints } from "#services/Checkpoints"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqliteFile } from "../support/sqliteFile.ts"
import { onTestTime } from "../support/storeTime.ts"
import { checkpointsContract, row } from "./Checkpoints.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

checkpointsContract("memory", CheckpointsMemory.layer)

checkpointsContract(
  "SQLite",
  Layer.provide(CheckpointsSql.layer, onTestTime(SqliteNode.layer({ filename: join(folder, "contract.db") })))
)

describe("Checkpoints (SQLite), removal", () => {
  it.effect("12.1 a completed run is stored for thirty days, and an open run longer", () =>
    Effect.gen(function* () {
      const store = yield* Checkpoints
      const options = { mayMake: true, format: 1, lease: Duration.seconds(1), takeOver: false }
      for (const [run, end] of [
        ["ended", "an end"],
        ["open", undefined]
      ] as const) {
        const { owner } = yield* store.open({ tenant: "t", run }, options)
        yield* store.append({ tenant: "t", run }, owner, row(1))
        yield* store.close({ tenant: "t", run }, owner, end)
      }
      const stored = Effect.map(store.list, (runs) => runs.map(({ run }) => run))
      yield* TestClock.adjust("29 days")
      assert.sameMembers([...(yield* stored)], ["ended", "open"])
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* stored, ["open"])
    }).pipe(Effect.provide(Layer.provide(CheckpointsSql.layer, sqliteFile)))
  )
})
