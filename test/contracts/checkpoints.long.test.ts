/** Runs the contract of Checkpoints in PostgreSQL, and tests a run that several processes open at the same time. */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import { Checkpoints } from "#services/Checkpoints"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { race } from "../support/race.ts"
import { postgres, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { checkpointsContract } from "./Checkpoints.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("on a server", needs(postgres), () => {
  checkpointsContract("PostgreSQL", Layer.provide(CheckpointsSql.layer, scratchDatabase("checkpoints")))
})

describe("a run that several processes open", () => {
  const url = scratchUrl("checkpoint_race")
  const file = join(folder, "raced.db")
  if (postgres.absent === undefined) scratchDatabase("checkpoint_race")
  const raced = once(() => {
    const places = { sqlite: file, ...(postgres.absent === undefined ? { postgres: url } : {}) }
    return race<Readonly<Record<string, string>>>(
      "test/contracts/checkpointsRacer.ts",
      Array.from({ length: 20 }, () => [JSON.stringify(places)])
    )
  })
  const oneWinner = (name: string, client: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>) =>
    it.effect("12.1 one of twenty processes owns the run and writes all its rows", () =>
      Effect.gen(function* () {
        const results = (yield* Effect.promise(raced)).map((places) => places[name]).toSorted()
        assert.deepStrictEqual(results, [...Array.from({ length: 19 }, () => "in_use"), "opened"])
        const store = yield* Checkpoints
        const found = yield* store.find({ tenant: "tenant", run: "raced" })
        const owners = (found?.rows ?? []).map(({ body }) => body)
        assert.deepStrictEqual([owners.length, new Set(owners).size], [10, 1])
      }).pipe(Effect.provide(Layer.provide(CheckpointsSql.layer, client)))
    )
  describe("a SQLite file", () => oneWinner("sqlite", SqliteNode.layer({ filename: file })))
  describe("PostgreSQL", needs(postgres), () => oneWinner("postgres", Postgres.layer({ url: Redacted.make(url) })))
})
