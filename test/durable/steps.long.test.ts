/** Tests the rows in which a runner stores the steps of its runs. */
import { DurableRuns } from "#services/DurableRuns"
import { StepStore } from "#services/StepStore"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { join } from "node:path"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import { folder } from "../support/sqliteFile.ts"
import { asClient, count, type Engines, postgresEngines, running, sqliteEngines } from "./engines.ts"
import { agentOf, until, world } from "./runsWorld.ts"

const key = { run: "run" }
const steps = count("cluster_messages", "tag = 'activity'")

/** Starts a run. Returns its execution and the store of its steps. */
const started = Effect.gen(function* () {
  const agent = agentOf()
  yield* agent.start({ ...key, prompt: "write" })
  const [row] = (yield* agent.list()).runs
  const store = yield* StepStore
  assert.isDefined(store)
  return { store: store!, of: { agent: "Clerk", execution: row?.execution ?? "" } }
})

const stores = (engines: Engines, database: Effect.Effect<string, never, Scope.Scope>) => {
  /** Without a runner, the request of the run stays unprocessed, as while a runner executes it. */
  const onClient = (use: Effect.Effect<void, any, any>) =>
    Effect.flatMap(database, (file) => asClient(engines, file)(use)).pipe(Effect.scoped)

  it.live("12.3 stores the first result of a step, and returns it to a runner that is late", () =>
    onClient(
      Effect.gen(function* () {
        const { of, store } = yield* started
        assert.deepStrictEqual(yield* store.save(of, "model/1", { n: 1 }), { _tag: "Saved" })
        assert.deepStrictEqual(yield* store.save(of, "model/1", { n: 2 }), {
          _tag: "Earlier",
          step: { _tag: "Result", value: { n: 1 } }
        })
        assert.deepStrictEqual(yield* store.save(of, `call/${"c".repeat(300)}/1`, null), { _tag: "Saved" })
        assert.deepStrictEqual(
          yield* store.load(of),
          new Map([
            ["model/1", { _tag: "Result", value: { n: 1 } }],
            [`call/${"c".repeat(300)}/1`, { _tag: "Result", value: null }]
          ])
        )
        assert.strictEqual(yield* count("cluster_replies"), 2)
      })
    )
  )

  it.live("12.3 stores no step of a run that has ended or is suspended", () =>
    onClient(
      Effect.gen(function* () {
        const { of, store } = yield* started
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE cluster_messages SET processed = TRUE WHERE tag = 'run'`
        assert.deepStrictEqual(yield* store.save(of, "model/1", { n: 1 }), { _tag: "Closed" })
        assert.strictEqual(yield* steps, 0)
      })
    )
  )

  it.live("12.3 stores a step whose activity an earlier version had started or interrupted", () =>
    onClient(
      Effect.gen(function* () {
        const { of, store } = yield* started
        const sql = yield* SqlClient.SqlClient
        yield* store.save(of, "model/1", { n: 1 })
        yield* store.save(of, "model/2", { n: 1 })
        // as stored by the engine: a request without a reply, and a request whose reply says that it was interrupted
        yield* sql`UPDATE cluster_messages SET processed = FALSE, last_reply_id = NULL
          WHERE tag = 'activity' AND payload LIKE '%model/1%'`
        yield* sql`DELETE FROM cluster_replies WHERE id NOT IN
          (SELECT last_reply_id FROM cluster_messages WHERE last_reply_id IS NOT NULL)`
        yield* sql`UPDATE cluster_replies SET payload = ${'{"_tag":"Success","value":{"_tag":"Suspended"}}'}`
        assert.deepStrictEqual([...(yield* store.load(of)).keys()], [])
        for (const name of ["model/1", "model/2"])
          assert.deepStrictEqual(yield* store.save(of, name, { n: 2 }), { _tag: "Saved" })
        assert.deepStrictEqual(
          [...(yield* store.load(of)).values()],
          Array.from({ length: 2 }, () => ({ _tag: "Result", value: { n: 2 } }))
        )
        assert.strictEqual(yield* count("cluster_replies"), 2)
      })
    )
  )

  it.live("12.3 reads the defect with which an activity of an earlier version ended", () =>
    onClient(
      Effect.gen(function* () {
        const { of, store } = yield* started
        const sql = yield* SqlClient.SqlClient
        yield* store.save(of, "model/1", null)
        const defect = { _tag: "Failure", cause: [{ _tag: "Die", defect: { name: "Error", message: "broken" } }] }
        yield* sql`UPDATE cluster_replies SET payload = ${JSON.stringify({
          _tag: "Success",
          value: { _tag: "Complete", exit: defect }
        })}`
        const step = (yield* store.load(of)).get("model/1")
        assert(step?._tag === "Defect")
        assert.match(String(step.defect), /broken/)
      })
    )
  )

  it.live("12.5 removes the steps of a run that has ended, and keeps those of a suspended run and the end", () =>
    Effect.gen(function* () {
      const [file, agent, seen] = [yield* database, agentOf(), world()]
      yield* Deferred.succeed(seen.gate, undefined)
      yield* running(agent, seen, engines, file)
      yield* asClient(
        engines,
        file
      )(
        Effect.gen(function* () {
          yield* agent.start({ run: "suspended", prompt: "refund" })
          yield* until(agent, { run: "suspended" }, "Suspended")
          const kept = yield* steps
          assert.isAbove(kept, 0)
          yield* agent.start({ ...key, prompt: "write" })
          const end = yield* agent.result(key, 20)
          yield* Effect.repeat(Effect.delay(steps, 20), { until: (left) => left === kept }).pipe(
            Effect.timeout("10 seconds")
          )
          assert.strictEqual(yield* count("cluster_replies"), kept + 2)
          assert.deepStrictEqual(yield* agent.poll(key), { _tag: "Ended", end })
          assert.deepStrictEqual(yield* agent.execute({ ...key, prompt: "write" }), end)
          const store = yield* DurableRuns
          assert.strictEqual(yield* store!.sweep("Clerk", Duration.zero), 1)
        })
      )
    }).pipe(Effect.scoped)
  )
}

describe("the steps of durable runs in a SQLite file", () => {
  stores(
    sqliteEngines,
    Effect.map(folder, (path) => join(path, "agents.db"))
  )
})

describe("the steps of durable runs on PostgreSQL", needs(postgres), () => {
  stores(postgresEngines, freshDatabase("steps"))
})
