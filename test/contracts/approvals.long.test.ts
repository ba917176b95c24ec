/** Tests of Approvals in PostgreSQL, and of concurrent decisions by several processes. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals } from "#services/Approvals"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { needs } from "../support/prerequisites.ts"
import { race } from "../support/race.ts"
import { postgres, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { approvalsContract, opening } from "./Approvals.ts"
import { databaseContract } from "./ApprovalsDatabase.ts"

interface RaceResult {
  readonly name: string
  readonly decided: string
  readonly by: string
  readonly consumed: boolean
}

const racer = "test/contracts/approvalsRacer.ts"

/** Defines a race of processes for one approval in a database. `url` is its file path or server address. */
const raceTest = (database: Layer.Layer<SqlClient.SqlClient>, url: string) => {
  const layer = Layer.provideMerge(Layer.orDie(ApprovalsSql.layer), database)

  it.live("10.3 one of twenty processes decides the request, and one consumes the approval", () =>
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const { request } = yield* approvals.open(opening("a race"))
      const all = yield* Effect.promise(() =>
        race<RaceResult>(
          racer,
          Array.from({ length: 20 }, (_, n) => [url, request.id, request.binding, `process ${n}`])
        )
      )
      const winners = all.filter(({ decided }) => decided === "Taken")
      const taken = all.filter(({ consumed }) => consumed)
      assert.deepStrictEqual([winners.length, taken.length], [1, 1])
      assert.deepStrictEqual(new Set(all.map(({ by }) => by)), new Set([winners[0]?.name]))
      assert.strictEqual((yield* approvals.find(request.id))?.state, "used")
    }).pipe(Effect.provide(layer))
  )
}

describe("a SQLite file", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-approvals-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "approvals.db")
  raceTest(Layer.orDie(SqliteNode.layer({ filename: file })), file)
})

describe("PostgreSQL", needs(postgres), () => {
  const database = Layer.orDie(scratchDatabase("approvals"))
  approvalsContract("PostgreSQL", Layer.orDie(Layer.provide(ApprovalsSql.layer, database)))
  databaseContract("PostgreSQL", database)
  raceTest(database, scratchUrl("approvals"))
})
