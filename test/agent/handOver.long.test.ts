/** Sends SIGTERM to processes that execute a run with a journal, and resumes the run in another process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { ledger as startLedger } from "../durable/Processes.ts"
import { type Plan, promptOf } from "../durable/World.ts"
import { bundle } from "../support/bundle.ts"
import { endOf, endWithTest } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import { root } from "../support/sources.ts"
import { folder } from "../support/sqliteFile.ts"
import type { WorkerOptions } from "./journalWorker.ts"

const worker = await bundle("test/agent/journalWorker.ts")

/** Starts a worker. `draining` resolves when the worker begins to shut down while work is in progress. */
const start = (options: WorkerOptions) => {
  const child = endWithTest(
    spawn(process.execPath, [worker, JSON.stringify(options)], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  )
  const draining = new Promise<void>((resolve) =>
    child.stderr.on("data", (text) => (String(text).includes("Shutting down") ? resolve() : undefined))
  )
  return { child, draining, ended: endOf(child) }
}

const plan: Plan = [[["print", "a"]], [["print", "b"]], [["print", "c"]]]

/**
 * Stops a worker during the write `b`, and resumes the run in another worker. `isHung` is true if the write does not end within
 * the grace time.
 */
const handOver = (database: Effect.Effect<string, never, Scope.Scope>, isHung: boolean) =>
  Effect.gen(function* () {
    const ledger = yield* startLedger
    const common = {
      database: yield* database,
      ledger: ledger.url,
      grace: isHung ? "300 millis" : "30000 millis"
    } as const
    const held = ledger.hold("b")
    const first = start({ ...common, prompt: promptOf(plan) })
    const stopped = yield* Effect.promise(async () => {
      await Promise.race([held, first.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
      first.child.kill("SIGTERM")
      await first.draining
      if (!isHung) ledger.release()
      return first.ended
    })
    ledger.release()
    assert.strictEqual(stopped.code, 130)
    // without takeOver, a resume is refused while another process has the lease
    const resumed = yield* Effect.promise(() => start(common).ended)
    return { stopped, resumed, counts: ["a", "b", "c"].map((it) => [ledger.effects(it), ledger.requests(it)]) }
  })

/** Defines the tests for one kind of database. `database` creates an empty database. */
const handsOver = (database: Effect.Effect<string, never, Scope.Scope>) => {
  it.live(
    "12.7 after SIGTERM during a write, the write ends, another process resumes immediately, and nothing is done twice",
    () =>
      Effect.gen(function* () {
        const { counts, resumed, stopped } = yield* handOver(database, false)
        assert.deepStrictEqual(JSON.parse(stopped.stdout), ["Interrupted", ["success", "success"]])
        assert.strictEqual(resumed.code, 0, resumed.stderr)
        assert.deepStrictEqual(JSON.parse(resumed.stdout), ["Answered", ["success", "success", "success"]])
        assert.deepStrictEqual(counts, [
          [1, 1],
          [1, 1],
          [1, 1]
        ])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "12.7 a write that exceeds the grace time after SIGTERM is interrupted, and the resumed run reports it as unknown",
    () =>
      Effect.gen(function* () {
        const { counts, resumed } = yield* handOver(database, true)
        assert.strictEqual(resumed.code, 0, resumed.stderr)
        assert.deepStrictEqual(JSON.parse(resumed.stdout), ["NeedsPerson", ["success", "outcome_unknown"]])
        assert.deepStrictEqual(counts, [
          [1, 1],
          [1, 1],
          [0, 0]
        ])
      }).pipe(Effect.scoped),
    60_000
  )
}

describe("a run with a journal in a SQLite file", () => {
  handsOver(Effect.map(folder, (path) => join(path, "runs.db")))
})

describe("a run with a journal on PostgreSQL", needs(postgres), () => {
  handsOver(freshDatabase("hand_over"))
})
