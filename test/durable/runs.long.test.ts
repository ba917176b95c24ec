/** Tests that durable runs in SQLite and PostgreSQL are listed, cancelled, forgotten and removed after their retention. */
import * as ApprovalsSql from "#layers/ApprovalsSql"
import * as CallLogSql from "#layers/CallLogSql"
import { StepStore } from "#services/StepStore"
import { StoreTime } from "#layers/internal/sql/StoreTime"
import { CallLog } from "#services/CallLog"
import { DurableRuns } from "#services/DurableRuns"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { codes } from "../agent/support.ts"
import { recordOf } from "../contracts/CallLog.ts"
import { encrypting, keyOf } from "../support/atRest.ts"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import { folder } from "../support/sqliteFile.ts"
import { asClient, count, type Engines, postgresEngines, running, sqliteEngines } from "./engines.ts"
import { agentOf, until, untilListed, world } from "./runsWorld.ts"

const key = { run: "run" }
const day = Duration.toMillis("1 day")

/** Moves the clock of an effect by a number of days. */
const daysLater =
  (days: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const later: Clock.Clock = Object.create(clock)
      return Effect.provideService(
        effect,
        Clock.Clock,
        Object.assign(later, {
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + days * day,
          currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + days * day)
        })
      )
    })

/** Copies an ended run with its rows in all tables, as many times as `copies` says. */
const copied = (copies: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const series = sql.onDialectOrElse({
      pg: () => `(SELECT generate_series(1, ${copies})::bigint AS n) series`,
      orElse: () => `(WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < ${copies})
        SELECT n FROM c) series`
    })
    const next = "+ n * 1000000000000"
    yield* sql.unsafe(`INSERT INTO cluster_messages (id, message_id, shard_id, entity_type, entity_id, kind, tag, payload,
        headers, processed, request_id, last_reply_id)
      SELECT id ${next}, REPLACE(message_id, entity_id, 'copy-' || n), shard_id, entity_type, 'copy-' || n, kind, tag,
        payload, headers, processed, request_id ${next}, last_reply_id ${next}
      FROM cluster_messages, ${series}`)
    yield* sql.unsafe(`INSERT INTO cluster_replies (id, kind, request_id, payload, sequence, acked)
      SELECT id ${next}, kind, request_id ${next}, payload, sequence, acked FROM cluster_replies, ${series}`)
    yield* sql.unsafe(`INSERT INTO toolguard_durable_runs (execution_id, agent, run, tenant, principal, conversation, state,
        run_end, started_at, changed_at, ended_at)
      SELECT 'copy-' || n, agent, 'copy ' || n, tenant, principal, conversation, state, run_end, started_at, changed_at,
        ended_at FROM toolguard_durable_runs, ${series}`)
  })

/** Waits until the steps of all ended runs have been removed. */
const untilTrimmed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.repeat(Effect.andThen(Effect.sleep(50), sql`SELECT 1 FROM cluster_messages WHERE tag = 'activity'`), {
    while: (rows) => rows.length > 0
  })
})

const operates = (engines: Engines, database: Effect.Effect<string, never, Scope.Scope>) => {
  it.live("12.4 if a client cancels a run during a write, the handler is interrupted on the runner", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          yield* agent.start({ ...key, prompt: "write write" })
          yield* Deferred.await(seen.started)
          assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Cancelling" })
          const end = yield* agent.result(key, 20)
          assert.deepStrictEqual(
            [end._tag, codes(end.transcript), seen.interrupted, seen.written],
            ["Interrupted", ["interrupted"], ["write-0"], []]
          )
          assert.deepStrictEqual(yield* agent.cancel(key), { _tag: "Ended", end })
          assert.deepStrictEqual((yield* agent.list()).runs[0]?.state, "Cancelled")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("12.4 if a client cancels a run that waits for a person, it ends, and no decision resumes it", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* Deferred.succeed(seen.gate, undefined)
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          yield* agent.start({ ...key, prompt: "write refund write" })
          yield* until(agent, key, "Suspended")
          yield* untilListed(agent, "Suspended")
          yield* agent.cancel(key)
          const end = yield* agent.result(key, 20)
          assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Interrupted", ["success", "interrupted"]])
          yield* agent.decide(seen.asked[0]!.token, { _tag: "Approved", by: "ann" })
          yield* agent.start({ ...key, prompt: "write refund write" })
          yield* Effect.sleep(300)
          assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Cancelled", end })
          assert.deepStrictEqual([seen.written, seen.refunded], [["write-0"], []])
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("12.4 if a run is cancelled before a runner executes it, it ends without a step", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          yield* agent.start({ ...key, prompt: "write" })
          assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Running" })
          yield* agent.cancel(key)
          assert.deepStrictEqual((yield* agent.list()).runs[0]?.state, "Cancelling")
          yield* running(agent, seen, engines, file)
          const end = yield* agent.result(key, 20)
          assert.deepStrictEqual([end._tag, end.transcript.content.length, seen.interrupted], ["Interrupted", 1, []])
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "12.4 if one of three runs with the same id is forgotten, those of another tenant and of a principal stay",
    () =>
      Effect.gen(function* () {
        const [file, agent, seen] = [yield* database, agentOf(), world()]
        yield* Deferred.succeed(seen.gate, undefined)
        yield* running(agent, seen, engines, file)
        yield* asClient(
          engines,
          file
        )(
          Effect.gen(function* () {
            const keys = [key, { ...key, tenant: "acme" }, { ...key, principal: "ann" }]
            for (const each of keys) {
              yield* agent.start({ ...each, prompt: "write" })
              yield* agent.result(each, 20)
            }
            yield* untilTrimmed
            const before = yield* count("cluster_messages")
            yield* agent.forget(key)
            assert.deepStrictEqual(
              yield* Effect.forEach(keys, (each) => Effect.map(agent.poll(each), ({ _tag }) => _tag)),
              ["Unknown", "Ended", "Ended"]
            )
            assert.deepStrictEqual(
              (yield* agent.list({ allTenants: true })).runs.map(({ principal, tenant }) => [tenant, principal]),
              [
                ["default", "ann"],
                ["acme", undefined]
              ]
            )
            assert.strictEqual(yield* count("cluster_messages"), (before / 3) * 2)
            // a run that was forgotten can be started again
            yield* agent.start({ ...key, prompt: "answer" })
            assert.strictEqual((yield* agent.result(key, 20))._tag, "Answered")
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live("12.4 the approvals and records of a forgotten run are erased, and those of the next run stay", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          const log = yield* CallLog
          for (const run of ["a", "b"]) {
            yield* agent.start({ run, prompt: "answer" })
            yield* agent.result({ run }, 20)
            const turn = { tenant: "default", conversation: run, turn: `Clerk/${run}` }
            log.append({ ...recordOf("1"), ...turn, traceId: run })
          }
          yield* log.records
          assert.strictEqual(yield* count("toolguard_calls"), 2)
          const { removed } = yield* agent.forget({ run: "a" })
          assert.deepInclude(removed, { store: "call records", count: 1 })
          assert.strictEqual(yield* count("toolguard_calls", "conversation = 'b'"), 1)
          assert.strictEqual(yield* count("toolguard_calls"), 1)
        }).pipe(Effect.provide(Layer.merge(CallLogSql.layer, ApprovalsSql.layer)))
      )
    }).pipe(Effect.scoped)
  )

  it.live("12.4 the runner's first sweep lists runs of an earlier version, which have no row, with their ends", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* running(agent, seen, engines, file)
          yield* asClient(
            engines,
            file
          )(
            Effect.gen(function* () {
              yield* agent.start({ run: "ended", tenant: "acme", principal: "ann", prompt: "answer" })
              yield* agent.result({ run: "ended", tenant: "acme", principal: "ann" }, 20)
              yield* agent.start({ run: "waiting", prompt: "refund" })
              yield* until(agent, { run: "waiting" }, "Suspended")
            })
          )
        })
      )
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const times = Effect.map(agent.list({ allTenants: true }), ({ runs }) =>
            runs.map(({ principal, run, startedAt, state, tenant }) => [run, tenant, principal, state, startedAt])
          )
          const before = yield* times
          yield* sql`DELETE FROM toolguard_durable_runs`
          assert.deepStrictEqual(yield* agent.poll({ run: "waiting" }), { _tag: "Suspended" })
          yield* sql`DELETE FROM toolguard_durable_runs`
          yield* running(agent, seen, engines, file)
          yield* Effect.repeat(Effect.delay(agent.list({ state: "Ended", allTenants: true }), 20), {
            until: ({ runs }) => runs.length === 1
          })
          const after = yield* times
          assert.deepStrictEqual(
            after.map((row) => row.slice(0, 3)),
            before.map((row) => row.slice(0, 3))
          )
          for (const [index, row] of after.entries()) assert.closeTo(Number(row[4]), Number(before[index]?.[4]), 5_000)
        }).pipe(Effect.scoped)
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "12.5 no rows are left of 10,000 runs that ended 31 days ago; a run of 29 days and a suspended run of 40 days stay",
    () =>
      Effect.gen(function* () {
        const [file, agent, seen] = [yield* database, agentOf(), world()]
        yield* Deferred.succeed(seen.gate, undefined)
        const onProcessTime = Layer.succeed(StoreTime, "process")
        // without a `StepStore`, as after a crash, the steps of ended runs are left to the retention
        const keepingSteps = {
          ...engines,
          runner: (file: string) => Layer.merge(engines.runner(file), Layer.succeed(StepStore, undefined))
        }
        const left = Effect.gen(function* () {
          yield* running(agent, seen, keepingSteps, file, onProcessTime)
          yield* asClient(
            engines,
            file
          )(
            Effect.gen(function* () {
              yield* agent.start({ ...key, prompt: "write" })
              yield* agent.result(key, 20)
              yield* copied(9_999)
              assert.isAbove(yield* count("cluster_messages"), 30_000)
              yield* agent.start({ run: "29 days", prompt: "answer" })
              yield* agent.result({ run: "29 days" }, 20)
              yield* agent.start({ run: "40 days", prompt: "refund" })
              yield* until(agent, { run: "40 days" }, "Suspended")
              const sql = yield* SqlClient.SqlClient
              yield* sql`UPDATE toolguard_durable_runs SET ended_at = ended_at + ${2 * day} WHERE run = '29 days'`
              yield* sql`UPDATE toolguard_durable_runs SET started_at = started_at - ${9 * day} WHERE run = '40 days'`
            })
          )
        })
        yield* Effect.scoped(left)
        yield* asClient(
          engines,
          file,
          onProcessTime
        )(
          Effect.gen(function* () {
            const store = (yield* DurableRuns)!
            const removed = yield* daysLater(31)(store.sweep("Clerk", Duration.days(30)))
            assert.strictEqual(removed, 10_000)
            assert.deepStrictEqual((yield* agent.list()).runs.map(({ run }) => run).sort(), ["29 days", "40 days"])
            assert.deepStrictEqual(yield* agent.poll({ run: "40 days" }), { _tag: "Suspended" })
            const kept = yield* count("cluster_messages")
            assert.isBelow(kept, 10)
            assert.isAtMost(yield* count("cluster_replies"), kept)
            yield* agent.forget({ run: "29 days" })
            yield* Effect.scoped(
              Effect.gen(function* () {
                yield* running(agent, seen, engines, file)
                yield* agent.cancel({ run: "40 days" })
                yield* agent.result({ run: "40 days" }, 20)
              })
            )
            yield* agent.forget({ run: "40 days" })
            for (const table of ["cluster_messages", "cluster_replies", "toolguard_durable_runs"])
              assert.strictEqual(yield* count(table), 0)
          })
        )
      }).pipe(Effect.scoped)
  )

  it.live(
    "12.6 with AtRest, prompts, arguments, results, decisions and ends are not readable in the tables of the engine",
    () =>
      Effect.gen(function* () {
        const [file, agent, seen] = [yield* database, agentOf(), world()]
        yield* Deferred.succeed(seen.gate, undefined)
        const words = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`SELECT payload FROM cluster_messages UNION ALL SELECT payload FROM cluster_replies`
          const text = JSON.stringify(rows)
          return ["write refund planted", "write-0", "refund-1", "It is done", "planted-ann"].filter((word) =>
            text.includes(word)
          )
        })
        const play = (run: string) =>
          Effect.gen(function* () {
            yield* agent.start({ run, prompt: "write refund planted" })
            yield* until(agent, { run }, "Suspended")
            const asked = seen.asked.at(-1)!
            yield* agent.decide(asked.token, { _tag: "Approved", by: "planted-ann" })
            return yield* agent.result({ run }, 20)
          })
        const encrypted = encrypting()
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* running(agent, seen, engines, file, encrypted)
            yield* asClient(
              engines,
              file,
              encrypted
            )(
              Effect.gen(function* () {
                const end = yield* play("sealed")
                assert.deepStrictEqual([end._tag, codes(end.transcript)], ["Answered", ["success", "success"]])
                assert.deepStrictEqual(yield* words, [])
                yield* agent.start({ run: "waiting", prompt: "write refund planted" })
                yield* until(agent, { run: "waiting" }, "Suspended")
              })
            )
          })
        )
        // a runner without the key does not continue and does not lose the run
        const { token } = seen.asked.at(-1)!
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* running(agent, seen, engines, file, encrypting(`other:${keyOf(2)}`))
            yield* asClient(
              engines,
              file,
              encrypted
            )(
              Effect.gen(function* () {
                yield* agent.decide(token, { _tag: "Approved", by: "planted-ann" })
                yield* Effect.sleep(500)
                assert.deepStrictEqual(yield* agent.poll({ run: "waiting" }), { _tag: "Running" })
              })
            )
          })
        )
        yield* running(agent, seen, engines, file, encrypted)
        yield* asClient(
          engines,
          file,
          encrypted
        )(
          Effect.gen(function* () {
            assert.strictEqual((yield* agent.result({ run: "waiting" }, 20))._tag, "Answered")
            assert.deepStrictEqual(yield* words, [])
          })
        )
      }).pipe(Effect.scoped)
  )
}

describe("durable runs in a SQLite file", () =>
  operates(
    sqliteEngines,
    Effect.map(folder, (path) => join(path, "agents.db"))
  ))

describe("durable runs on PostgreSQL", needs(postgres), () => operates(postgresEngines, freshDatabase("runs")))
