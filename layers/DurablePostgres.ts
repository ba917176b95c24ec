/**
 * The engine of durable agents on PostgreSQL, for any number of runner processes and machines: Effect's cluster. Where a
 * runner dies the others go on with its runs.
 *
 * **Details**
 *
 * - `layer` is a runner: it listens at `host:port`, where the other runners must reach it. `client` starts runs, looks at them and
 *   decides, and runs nothing.
 * - Runs are spread over the runners by their ids, and each runner gives signs of life. The others take over the share of one that
 *   is dead, or cut off: after about 3 seconds where the one that looks after the others is alive, else after `lockExpiration`.
 * - A runner that stands still for longer than `lockExpiration` loses its share too. What it still does then is settled by the
 *   guard's idempotency keys.
 *
 * **Gotchas**
 *
 * - What runners say to each other is not signed: let only your own machines reach their ports.
 * - All runners of a database must have the same agents, tools and versions of this package: any of them may go on with any run.
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
import * as OptionalPeer from "#layers/internal/peer/OptionalPeer"

export interface DurableClientOptions {
  /** How often the database is asked for new runs, decisions and runners. Default 1 second. */
  readonly interval?: Duration.Input
  /** More of Effect's `ShardingConfig`. `shardsPerGroup` must be the same for all. */
  readonly sharding?: Partial<ShardingConfig["Service"]>
}

export interface DurableRunnerOptions extends DurableClientOptions {
  /** Where the other runners reach this one. */
  readonly host: string
  readonly port: number
  /** How long a runner that gives no sign of life keeps its share. Default 15 seconds. */
  readonly lockExpiration?: Duration.Input
  /** How long a call may go on that runs when its run is handed over to a runner that has come. Default 15 seconds. */
  readonly handOver?: Duration.Input
}

/** Makes this process a runner. */
export const layer = ({
  handOver = "15 seconds",
  host,
  lockExpiration = "15 seconds",
  port,
  ...options
}: DurableRunnerOptions): Layer.Layer<WorkflowEngine, SocketServerError | ConfigError, SqlClient> =>
  engineOver((NodeClusterSocket) =>
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

/** Starts runs and decides; runs nothing. */
export const client = (options: DurableClientOptions = {}): Layer.Layer<WorkflowEngine, ConfigError, SqlClient> =>
  engineOver((NodeClusterSocket) =>
    NodeClusterSocket.layer({
      clientOnly: true,
      storage: "sql",
      serialization: "ndjson",
      shardingConfig: { ...shardingOf(options), runnerAddress: Option.none() }
    })
  )

const engineOver = <E, R>(
  cluster: (module: typeof NodeClusterSocket) => Layer.Layer<Sharding | MessageStorage, E, R>
): Layer.Layer<WorkflowEngine, E, R> =>
  ClusterWorkflowEngine.layer.pipe(
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
