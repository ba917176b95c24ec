/**
 * The engine of durable agents on PostgreSQL, for any number of runner processes and machines: Effect's cluster. If a
 * runner crashes, the others resume its runs.
 *
 * **Details**
 *
 * - `layer` makes the process a runner: it listens at `host:port`, and the other runners must be able to reach it.
 *   `client` starts and reads runs and passes on decisions, but executes no runs.
 * - Runs are distributed over the runners by their ids. Each runner sends heartbeats, and checks another runner. The
 *   others take over the shards of a dead runner after about 4 seconds, and those of a runner that hangs or whose
 *   machine cannot be reached after `lockExpiration`. docs/durable.md has measured times.
 * - A runner that hangs for longer than `lockExpiration` loses its shards too. The guard's idempotency keys prevent
 *   its late actions from being done twice.
 *
 * **Gotchas**
 *
 * - The messages between runners are not signed: allow only your own machines to reach their ports.
 * - All runners of a database must have the same agents and tools, because any runner can resume any run. Runners of
 *   version 0.1.0 may run beside runners of this version during a deploy.
 */
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import { RunnerAddress } from "effect/cluster/RunnerAddress"
import type * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import type { MessageStorage } from "effect/cluster/MessageStorage"
import type { Sharding } from "effect/cluster/Sharding"
import type { ShardingConfig } from "effect/cluster/ShardingConfig"
import type { ConfigError } from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SocketServerError } from "effect/socket/SocketServer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as DurableRunsSql from "./DurableRunsSql.ts"
import * as ShardingShutdown from "#layers/internal/cluster/ShardingShutdown"
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"
import * as RunnerWatch from "#layers/internal/cluster/RunnerWatch"
import * as StepRows from "#layers/internal/cluster/StepRows"

/** The options of every process. */
export interface DurableClientOptions {
  /** How often the database is polled for new runs, decisions and runners. Default 1 second. */
  readonly interval?: Duration.Input
  /** Other options of Effect's `ShardingConfig`. `shardsPerGroup` must be the same in all processes. */
  readonly sharding?: Partial<ShardingConfig["Service"]>
}

/** The options of a runner. */
export interface DurableRunnerOptions extends DurableClientOptions {
  /** The address at which the other runners reach this runner. */
  readonly host: string
  readonly port: number
  /**
   * How long a runner without heartbeats keeps its shards. Default 12 seconds. Below 10 seconds, a busy machine may
   * lose shards while it is healthy.
   */
  readonly lockExpiration?: Duration.Input
  /** How long a running call may continue when its run moves to a new runner. Default 15 seconds. */
  readonly handOver?: Duration.Input
}

/** Makes this process a runner. */
export const layer = ({
  handOver = "15 seconds",
  host,
  lockExpiration = "12 seconds",
  port,
  ...options
}: DurableRunnerOptions): Layer.Layer<
  WorkflowEngine,
  SocketServerError | ConfigError | DatabaseUnavailable,
  SqlClient
> =>
  engineOver(options, (NodeClusterSocket) =>
    RunnerWatch.layer({ host, port, lockExpiration, interval: options.interval ?? "1 second" }).pipe(
      Layer.provideMerge(
        NodeClusterSocket.layer({
          storage: "sql",
          serialization: "ndjson",
          shardingConfig: {
            ...shardingOf(options),
            runnerAddress: Option.some(RunnerAddress.make({ host, port })),
            shardLockExpiration: lockExpiration,
            entityTerminationTimeout: handOver,
            shardLockRefreshInterval: Duration.divideUnsafe(Duration.fromInputUnsafe(lockExpiration), 3)
          }
        })
      )
    )
  )

/** Starts and reads runs and passes on decisions, but executes no runs. */
export const client = (
  options: DurableClientOptions = {}
): Layer.Layer<WorkflowEngine, ConfigError | DatabaseUnavailable, SqlClient> =>
  engineOver(options, (NodeClusterSocket) =>
    NodeClusterSocket.layer({
      clientOnly: true,
      storage: "sql",
      serialization: "ndjson",
      shardingConfig: { ...shardingOf(options), runnerAddress: Option.none() }
    })
  )

const engineOver = <E, R>(
  { interval = "1 second" }: DurableClientOptions,
  cluster: (module: typeof NodeClusterSocket) => Layer.Layer<Sharding | MessageStorage, E, R>
): Layer.Layer<WorkflowEngine, E | DatabaseUnavailable, R | SqlClient> =>
  DurableRunsSql.layerWith({ interval }).pipe(
    Layer.merge(Layer.merge(ShardingShutdown.layer, StepRows.layer({ interval }))),
    Layer.provideMerge(ClusterWorkflowEngine.layer),
    Layer.provide(
      OptionalPeer.load("layers/DurablePostgres", () => import("@effect/platform-node/NodeClusterSocket")).pipe(
        Effect.orDie,
        Effect.map(cluster),
        Layer.unwrap
      )
    )
  )

const shardingOf = ({ interval = "1 second", sharding }: DurableClientOptions): Partial<ShardingConfig["Service"]> => ({
  shardsPerGroup: 32,
  entityMessagePollInterval: interval,
  refreshAssignmentsInterval: interval,
  runnerHealthCheckInterval: interval,
  ...sharding
})
