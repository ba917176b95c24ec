/**
 * A process that executes a run with a journal: `journalWorker.ts OPTIONS`, where OPTIONS is JSON. Prints the end of the run
 * and the outcomes of its calls. SIGTERM drains the process.
 */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as GracefulShutdown from "#layers/GracefulShutdown"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as SqliteNode from "#layers/SqliteNode"
import * as Agent from "#src/agent/Agent"
import { Guard } from "#src/guard/Guard"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Logger, Redacted } from "effect"
import { services, toolbox } from "../durable/World.ts"
import { codes } from "./support.ts"

export interface WorkerOptions {
  /** A SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string
  readonly ledger: string
  /** The prompt of a new run; undefined if the run is resumed. */
  readonly prompt?: string
  readonly grace: `${number} millis`
}

const { database, grace, ledger, prompt } = JSON.parse(process.argv[2] ?? "") as WorkerOptions

const connection = database.startsWith("postgres:")
  ? Postgres.layer({ url: Redacted.make(database) })
  : SqliteNode.layer({ filename: database })
const guard = Guard.layerMemoryWith(Layer.merge(CheckpointsSql.layer, IdempotencyKeysSql.layer)).pipe(
  Layer.provide(connection)
)
const logs = Layer.merge(Logger.layer([Logger.consolePretty()]), Layer.succeed(Logger.LogToStderr, true))
const run = { run: "run", tools: toolbox }

const executed = (prompt === undefined ? Agent.resume(run) : Agent.checkpointed({ ...run, prompt })).pipe(
  Effect.tap((end) => Effect.sync(() => process.stdout.write(JSON.stringify([end._tag, codes(end.transcript)]))))
)
GracefulShutdown.track(executed).pipe(
  Effect.provide(Layer.merge(guard, services(ledger))),
  GracefulShutdown.run({ grace }),
  Effect.provide(logs),
  NodeRuntime.runMain
)
