/** Checkpoints keep their promises in memory, in real databases, and among real processes. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import { Checkpoints } from "#services/Checkpoints"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { race } from "../support/race.ts"
import { describeOn, postgres, scratchDatabase } from "../support/servers.ts"
import { sqliteFile } from "../support/stores.ts"
import { checkpointsContract, row } from "./Checkpoints.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

checkpointsContract("memory", CheckpointsMemory.layer)

checkpointsContract(
  "SQLite",
  Layer.provide(CheckpointsSql.layer, SqliteNode.layer({ filename: join(folder, "contract.db") }))
)

describeOn(postgres, "on a server", () => {
  checkpointsContract("PostgreSQL", Layer.provide(CheckpointsSql.layer, scratchDatabase("checkpoints")))
})

describe("Checkpoints (SQLite), swept", () => {
  it.effect("12.1 an end is kept for thirty days, a run without one until it is removed", () =>
    Effect.gen(function* () {
      const store = yield* Checkpoints
      const options = { mayMake: true, format: 1, lease: Duration.seconds(1), takeOver: false }
      for (const [run, end] of [
        ["ended", "an end"],
        ["going", undefined]
      ] as const) {
        const { owner } = yield* store.open({ tenant: "t", run }, options)
        yield* store.append({ tenant: "t", run }, owner, row(1))
        yield* store.close({ tenant: "t", run }, owner, end)
      }
      const kept = Effect.map(store.list, (runs) => runs.map(({ run }) => run))
      yield* TestClock.adjust("29 days")
      assert.sameMembers([...(yield* kept)], ["ended", "going"])
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* kept, ["going"])
    }).pipe(Effect.provide(Layer.provide(CheckpointsSql.layer, sqliteFile)))
  )
})

describe("raced for", () => {
  const url = `postgres://postgres@127.0.0.1:5432/toolguard_checkpoint_race_${process.pid}`
  const file = join(folder, "raced.db")
  let raced: ReadonlyArray<Readonly<Record<string, string>>> = []
  if (postgres.isThere) scratchDatabase("checkpoint_race")
  beforeAll(async () => {
    const places = { sqlite: file, ...(postgres.isThere ? { postgres: url } : {}) }
    raced = await race(
      join(import.meta.dirname, "checkpointsRacer.ts"),
      Array.from({ length: 20 }, () => [JSON.stringify(places)])
    )
  }, 120_000)
  const oneWinner = (name: string, client: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>) =>
    it.effect("12.1 of twenty processes that open one run one has it, and all its rows are that one's", () =>
      Effect.gen(function* () {
        const came = raced.map((places) => places[name]).toSorted()
        assert.deepStrictEqual(came, [...Array.from({ length: 19 }, () => "in_use"), "opened"])
        const store = yield* Checkpoints
        const found = yield* store.find({ tenant: "tenant", run: "raced" })
        const owners = (found?.rows ?? []).map(({ body }) => body)
        assert.deepStrictEqual([owners.length, new Set(owners).size], [10, 1])
      }).pipe(Effect.provide(Layer.provide(CheckpointsSql.layer, client)))
    )
  describe("a SQLite file", () => oneWinner("sqlite", SqliteNode.layer({ filename: file })))
  describeOn(postgres, "PostgreSQL", () => oneWinner("postgres", Postgres.layer({ url: Redacted.make(url) })))
})
