/** The layers of Approvals keep its promises: in memory, in a SQLite file, in PostgreSQL. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Approvals } from "#services/Approvals"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import * as Layers from "effect/Layer"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { race } from "../support/race.ts"
import { describeOn, postgres, scratchDatabase } from "../support/servers.ts"
import { approvalsContract, opening } from "./Approvals.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-approvals-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Promises that only a database can keep. */
const databaseContract = (name: string, database: Layer.Layer<SqlClient.SqlClient>, url: string): void => {
  const layer = Layers.provideMerge(Layers.orDie(ApprovalsSql.layer), database)

  describe(`Approvals (${name}), as a database`, () => {
    it.effect("10.4 an approval is taken in the caller's transaction, or not at all", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const approvals = yield* Approvals
        const { request } = yield* approvals.open(opening("in a transaction"))
        yield* approvals.decide(request.id, { verdict: "approve", by: "ana", reason: "" })
        const consume = approvals.consume(request.id, request.binding)
        const rolledBack = yield* Effect.flip(
          sql.withTransaction(Effect.flatMap(consume, (isTaken) => Effect.fail({ isTaken } as const)))
        )
        assert.deepStrictEqual(rolledBack, { isTaken: true })
        assert.strictEqual((yield* approvals.find(request.id))?.state, "approved")
        assert.isTrue(yield* sql.withTransaction(consume))
        assert.isFalse(yield* sql.withTransaction(consume))
      }).pipe(Effect.provide(layer))
    )

    it.effect("10.3 what is over is forgotten after its time, what is open stays", () =>
      Effect.gen(function* () {
        const approvals = yield* Approvals
        const over = (yield* approvals.open(opening("over", { lifetime: Duration.minutes(1) }))).request
        const later = (yield* approvals.open(opening("later", { lifetime: Duration.days(200) }))).request
        const states = Effect.forEach([over, later], ({ id }) =>
          Effect.map(approvals.find(id), (found) => found?.state)
        )
        yield* TestClock.adjust("59 minutes")
        assert.deepStrictEqual(yield* states, ["expired", "pending"])
        yield* TestClock.adjust("2 minutes")
        // the database answers in its own time, and the sweep comes every ten minutes of ours
        while ((yield* approvals.find(over.id)) !== undefined) {
          yield* TestClock.adjust("10 minutes")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
        assert.deepStrictEqual(yield* states, [undefined, "pending"])
      }).pipe(Effect.provide(Layers.provide(Layers.orDie(ApprovalsSql.layerWith({ timeToLive: "1 hour" })), database)))
    )

    it.live(
      "10.3 twenty processes decide, then take the approval: one wins each",
      () =>
        Effect.gen(function* () {
          const approvals = yield* Approvals
          const { request } = yield* approvals.open(opening("a race"))
          const all = yield* Effect.promise(() =>
            race<Raced>(
              racer,
              Array.from({ length: 20 }, (_, n) => [url, request.id, request.binding, `process ${n}`])
            )
          )
          const winners = all.filter(({ decided }) => decided === "Taken")
          const taken = all.filter(({ consumed }) => consumed)
          assert.deepStrictEqual([winners.length, taken.length], [1, 1])
          assert.deepStrictEqual(new Set(all.map(({ by }) => by)), new Set([winners[0]?.name]))
          assert.strictEqual((yield* approvals.find(request.id))?.state, "used")
        }).pipe(Effect.provide(layer)),
      120_000
    )
  })
}

interface Raced {
  readonly name: string
  readonly decided: string
  readonly by: string
  readonly consumed: boolean
}

const racer = join(import.meta.dirname, "approvalsRacer.ts")

approvalsContract("memory", ApprovalsMemory.layer)

const contract = join(folder, "contract.db")
const file = join(folder, "approvals.db")
approvalsContract(
  "SQLite file",
  Layers.orDie(Layers.provide(ApprovalsSql.layer, SqliteNode.layer({ filename: contract })))
)
databaseContract("SQLite file", Layers.orDie(SqliteNode.layer({ filename: file })), file)

describeOn(postgres, "PostgreSQL", () => {
  const database = Layers.orDie(scratchDatabase("approvals"))
  approvalsContract("PostgreSQL", Layers.orDie(Layers.provide(ApprovalsSql.layer, database)))
  databaseContract("PostgreSQL", database, `postgres://postgres@127.0.0.1:5432/toolguard_approvals_${process.pid}`)
})
