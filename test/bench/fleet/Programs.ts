/**
 * Defines the two programs that the benchmark compares: a durable agent, and a bare Effect workflow on the same engine
 * and kind of database. A run of the agent has five rounds with a keyed write each, and a round with the answer: eleven
 * steps. The workflow has eleven activities with results of the same size.
 */
import * as DurablePostgres from "#layers/DurablePostgres"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as Postgres from "#layers/Postgres"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Guard } from "#src/guard/Guard"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { ClusterWorkflowEngine, RunnerAddress } from "effect/cluster"
import { Activity, Workflow } from "effect/workflow"
import { implementationsFor, tools } from "../savingAgent.ts"

const rounds = 5

const implementations = implementationsFor(rounds)

export interface Place {
  readonly url: string
  readonly port: number
}

const database = (url: string) => Postgres.layer({ url: Redacted.make(url) })

/** The number of runs that this process has executed. */
export const ended = { count: 0 }
const count = Effect.sync(() => void (ended.count += 1))

const agent = DurableAgent.make("Bench", {
  tools,
  onEvent: ({ _tag }) => (_tag === "End" ? count : Effect.void)
})

const Bare = Workflow.make("Bare", {
  payload: { run: Schema.String },
  success: Schema.String,
  idempotencyKey: ({ run }) => run
})

const bare = Bare.toLayer(
  Effect.fnUntraced(function* () {
    for (let n = 0; n < rounds; n++) {
      yield* Activity.make({
        name: `model/${n}`,
        success: Schema.Struct({ tool: Schema.String, arguments: Schema.Struct({ n: Schema.Int }) }),
        execute: Effect.succeed({ tool: "save", arguments: { n } })
      })
      yield* Activity.make({
        name: `call/${n}`,
        success: Schema.Struct({ id: Schema.String }),
        execute: Effect.succeed({ id: `S-${n}` })
      })
    }
    const text = yield* Activity.make({
      name: `model/${rounds}`,
      success: Schema.String,
      execute: Effect.succeed("It is done.")
    })
    yield* count
    return text
  })
)

/** The settings of `DurablePostgres`, without its additions. */
const plainEngine = (port: number | undefined) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provide(
      NodeClusterSocket.layer({
        storage: "sql",
        serialization: "ndjson",
        ...(port === undefined ? { clientOnly: true } : {}),
        shardingConfig: {
          shardsPerGroup: 32,
          entityMessagePollInterval: "1 second",
          refreshAssignmentsInterval: "1 second",
          runnerHealthCheckInterval: "1 second",
          ...(port === undefined
            ? { runnerAddress: Option.none() }
            : {
                runnerAddress: Option.some(RunnerAddress.RunnerAddress.make({ host: "127.0.0.1", port })),
                shardLockExpiration: "15 seconds",
                shardLockRefreshInterval: Duration.seconds(5)
              })
        }
      })
    )
  )

export const programs = {
  agent: {
    runner: ({ port, url }: Place): Layer.Layer<never, unknown> =>
      agent.layer.pipe(
        Layer.provide([Guard.layerMemoryWith(IdempotencyKeysSql.layer), implementations]),
        Layer.provide(DurablePostgres.layer({ host: "127.0.0.1", port })),
        Layer.provide(database(url))
      ),
    client: (url: string) => DurablePostgres.client().pipe(Layer.provide(database(url))),
    start: (run: string) => agent.start({ run, prompt: "Go." })
  },
  bare: {
    runner: ({ port, url }: Place): Layer.Layer<never, unknown> =>
      bare.pipe(Layer.provide(plainEngine(port)), Layer.provide(database(url))),
    client: (url: string) => plainEngine(undefined).pipe(Layer.provide(database(url))),
    start: (run: string) => Bare.execute({ run }, { discard: true })
  }
} as const

export type ProgramName = keyof typeof programs
