/**
 * Provides the engine of durable agents in one process over one SQLite file, without a server. Finished steps are in
 * the file, and a new process resumes the runs after a crash.
 *
 * **Details**
 *
 * - Also provides the `SqlClient` of the file, for the stores of the guard, and the rows of the runs
 *   (`DurableRunsSql`).
 * - One process runs the agents of a file; a second process fails with an error. The process holds an operating system
 *   lock on the file `FILE.runner` next to the database file. The system releases the lock when the process ends.
 * - `client` is for other processes of the machine: they start and read runs and pass on decisions, but execute no
 *   runs. The runner sees their changes at its next poll (`interval`).
 */
import { databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as Digest from "effect/crypto/Digest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import * as ShardingShutdown from "#layers/internal/cluster/ShardingShutdown"
import { remedyOf, resultCode } from "#layers/internal/sql/DialectSqlite"
import * as StepRows from "#layers/internal/cluster/StepRows"
import * as PrivateFile from "#layers/internal/stores/PrivateFile"
import { DatabaseSync } from "node:sqlite"
import * as DurableRunsSql from "./DurableRunsSql.ts"
import * as SqliteNode from "./SqliteNode.ts"

/** The file, and how often it is polled. */
export interface DurableSqliteOptions extends SqliteNode.SqliteOptions {
  /** How often the file is polled for changes by other processes. Default 1 second. */
  readonly interval?: Duration.Input
}

type Engine = Layer.Layer<WorkflowEngine | SqlClient.SqlClient, DatabaseUnavailable>

/** Makes this process the runner of the file. */
export const layer = (options: DurableSqliteOptions): Engine =>
  engine(options, {}).pipe(Layer.provideMerge(SqliteNode.layer(options)), Layer.provide(onlyRunner(options.filename)))

/** Starts and reads runs and passes on decisions, but executes no runs. */
export const client = (options: DurableSqliteOptions): Engine =>
  engine(options, { runnerAddress: Option.none() }).pipe(Layer.provideMerge(SqliteNode.layer(options)))

const engine = (
  { interval = "1 second" }: DurableSqliteOptions,
  config: Partial<ShardingConfig.ShardingConfig["Service"]>
) =>
  DurableRunsSql.layerWith({ interval }).pipe(
    Layer.merge(Layer.merge(ShardingShutdown.layer, StepRows.layer({ interval }))),
    Layer.provideMerge(ClusterWorkflowEngine.layer),
    Layer.provide(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provide(SqlMessageStorage.layer),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop, Digest.layerWebCrypto]),
    Layer.provide(ShardingConfig.layer({ shardsPerGroup: 32, entityMessagePollInterval: interval, ...config }))
  )

/** SQLite's result codes, https://sqlite.org/rescode.html. */
const [busy, cannotOpen] = [5, 14] as const

/** Acquires the lock of the runner. A database in memory needs no lock. */
const onlyRunner = (filename: string): Layer.Layer<never, DatabaseUnavailable> =>
  filename === ":memory:"
    ? Layer.empty
    : Layer.effectDiscard(Effect.acquireRelease(locked(`${filename}.runner`), (db) => Effect.sync(() => db.close())))

const locked = (filename: string) =>
  Effect.try({
    try: () => {
      PrivateFile.create(filename)
      const db = new DatabaseSync(filename, { timeout: 0 })
      try {
        db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        return db
      } catch (cause) {
        db.close()
        throw cause
      }
    },
    catch: (cause) => databaseUnavailable(`the runner's lock ${filename}`, remedyFor(resultCode(cause)), cause)
  })

/** Returns the remedy for a lock that cannot be acquired, or for a lock file that cannot be created. */
const remedyFor = (code: number = cannotOpen): string =>
  (code & 0xff) === busy
    ? "Another process runs the agents of this file. Stop that process, or use `client` in this process. For several runners, use PostgreSQL."
    : remedyOf({ errcode: code })
