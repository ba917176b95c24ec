/** Tests how the rows of durable runs are indexed, read and removed in SQLite and PostgreSQL. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import { DurableRuns } from "#services/DurableRuns"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import { folder } from "../support/sqliteFile.ts"
import { asClient, count, type Engines, postgresEngines, running, sqliteEngines } from "./engines.ts"
import { agentOf, until, world } from "./runsWorld.ts"

const indexes = ["toolguard_cluster_entities", "toolguard_cluster_runs"]

const dropIndexes = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(indexes, (name) => sql.unsafe(`DROP INDEX IF EXISTS ${name}`))
)

const validIndexes = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indisvalid AND c.relname LIKE 'toolguard_cluster%' ORDER BY 1`,
    (rows) => rows.map(({ name }) => name)
  )
)

const untilIndexed = Effect.repeat(Effect.delay(validIndexes, 50), { until: ({ length }) => length === 2 })

const forgets = (engines: Engines, database: Effect.Effect<string, never, Scope.Scope>) => {
  it.live("12.4 if one of several runs is forgotten, rows of other runs are not read or changed", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* Deferred.succeed(seen.gate, undefined)
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const run of ["a", "b"]) {
            yield* agent.start({ run, prompt: "write" })
            yield* agent.result({ run }, 20)
          }
          // a scan of all runs would write this row again
          yield* sql`DELETE FROM toolguard_durable_runs WHERE run = 'b'`
          yield* agent.forget({ run: "a" })
          assert.strictEqual(yield* count("toolguard_durable_runs"), 0)
          assert.deepStrictEqual((yield* agent.poll({ run: "b" }))._tag, "Ended")
        }).pipe(Effect.provide(ApprovalsSql.layer))
      )
    }).pipe(Effect.scoped)
  )

  it.live("12.5 if a row has an end that the engine has not stored, the retention keeps the run", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const run of ["crashed", "ended"]) {
            yield* agent.start({ run, prompt: run === "ended" ? "answer" : "refund" })
            yield* until(agent, { run }, run === "ended" ? "Ended" : "Suspended")
          }
          yield* sql`UPDATE toolguard_durable_runs SET state = 'Ended', ended_at = 1`
          const store = (yield* DurableRuns)!
          assert.strictEqual(yield* store.sweep("Clerk", Duration.days(30)), 1)
          assert.deepStrictEqual(yield* agent.poll({ run: "crashed" }), { _tag: "Suspended" })
          assert.deepStrictEqual(yield* agent.poll({ run: "ended" }), { _tag: "Unknown" })
        })
      )
    }).pipe(Effect.scoped)
  )
}

describe("durable runs in a SQLite file", () => {
  forgets(
    sqliteEngines,
    Effect.map(folder, (path) => join(path, "agents.db"))
  )

  it.live("12.4 when a batch is forgotten, the file is rebuilt once, and then contains none of its prompts", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [file, agent, seen] = [join(path, "agents.db"), agentOf(), world()]
      const bytes = () =>
        readdirSync(path)
          .map((name) => readFileSync(join(path, name), "latin1"))
          .join("")
      yield* running(agent, seen, sqliteEngines, file)
      yield* asClient(
        sqliteEngines,
        file
      )(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const version = Effect.map(sql`PRAGMA schema_version`, ([row]) => Number(row?.["schema_version"]))
          const prompt = (run: string) => `answer planted-${run}-${"x".repeat(9_000)}`
          for (const run of ["a", "b", "c"]) {
            yield* agent.start({ run, prompt: prompt(run) })
            yield* agent.result({ run }, 20)
          }
          assert.include(bytes(), "planted-a")
          // VACUUM raises the version
          const before = yield* version
          const { left } = yield* agent.forget({ run: "a" }, { compact: false })
          assert.match(left.map(({ reason }) => reason).join(), /The file was not rebuilt: run VACUUM later/)
          assert.strictEqual(yield* version, before)
          yield* agent.forget({ run: "b" })
          assert.strictEqual(yield* version, before + 1)
          assert.deepStrictEqual(
            ["planted-a", "planted-b", "planted-c"].map((word) => bytes().includes(word)),
            [false, false, true]
          )
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("durable runs on PostgreSQL", needs(postgres), () => {
  const database = freshDatabase("forgetting")
  forgets(postgresEngines, database)

  it.live(
    "12.4 while the indexes cannot be built yet, runs work; later they are built, and an invalid index is replaced",
    () =>
      Effect.gen(function* () {
        const [url, agent, seen] = [yield* database, agentOf(), world()]
        yield* asClient(
          postgresEngines,
          url
        )(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            yield* Effect.scoped(Effect.andThen(running(agent, seen, postgresEngines, url), untilIndexed))
            yield* dropIndexes
            const locked = Deferred.makeUnsafe<void>()
            const release = Deferred.makeUnsafe<void>()
            // the build waits for this transaction, as it would for the rows of a large table
            const blocking = yield* Effect.forkChild(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* sql`LOCK TABLE cluster_messages IN ROW EXCLUSIVE MODE`
                  yield* Deferred.succeed(locked, undefined)
                  yield* Deferred.await(release)
                })
              )
            )
            yield* Deferred.await(locked)
            yield* running(agent, seen, postgresEngines, url)
            yield* running(agent, seen, postgresEngines, url)
            const isBuilding = Effect.map(
              sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONC%'
              AND state = 'active'`,
              ({ length }) => length === 1
            )
            yield* Effect.repeat(Effect.delay(isBuilding, 20), { until: (is) => is })
            yield* agent.start({ run: "run", prompt: "answer" })
            assert.strictEqual((yield* agent.result({ run: "run" }, 20))._tag, "Answered")
            assert.strictEqual((yield* agent.poll({ run: "run" }))._tag, "Ended")
            assert.strictEqual((yield* agent.list()).runs.length, 1)
            assert.deepStrictEqual(yield* validIndexes, [])
            yield* Deferred.succeed(release, undefined)
            yield* Fiber.join(blocking)
            yield* untilIndexed
            // an interrupted build leaves such an index
            yield* sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('toolguard_cluster_runs')`
            assert.strictEqual((yield* validIndexes).length, 1)
            const store = (yield* DurableRuns)!
            yield* store.sweep("Clerk", Duration.infinity)
            assert.deepStrictEqual(yield* validIndexes, indexes)
          })
        )
      }).pipe(Effect.scoped)
  )
})
