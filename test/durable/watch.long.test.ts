/** Tests how runners on PostgreSQL notice that another runner is dead. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { type RunnerAddress, Runners } from "effect/cluster"
import { RunnerUnavailable } from "effect/cluster/ClusterError"
import { SqlClient } from "effect/sql"
import * as Postgres from "#layers/Postgres"
import * as RunnerWatch from "#layers/internal/cluster/RunnerWatch"
import { needs } from "../support/prerequisites.ts"
import { freshDatabase, postgres } from "../support/servers.ts"
import * as Processes from "./Processes.ts"

const healthyRunners = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly address: string }>`SELECT address FROM cluster_runners WHERE healthy ORDER BY address`,
    (rows) => rows.map(({ address }) => address)
  )
)

/** A watch whose pings reach only the runner at a port. */
const watch = (own: number, reachable: number) =>
  RunnerWatch.layer({ host: "127.0.0.1", port: own, interval: "50 millis", lockExpiration: "12 seconds" }).pipe(
    Layer.provide(
      Layer.succeedContext(
        Context.make(Runners.Runners, {
          ping: (address: RunnerAddress.RunnerAddress) =>
            address.port === reachable ? Effect.void : Effect.fail(new RunnerUnavailable({ address }))
        } as unknown as Runners.Runners["Service"]) // a watch only pings
      )
    )
  )

describe("runners that watch each other", needs(postgres), () => {
  it.live("12.3 a runner marks the next runner as unhealthy if it cannot be reached, and no other runner", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("watch")
      const ledger = yield* Processes.ledger
      // a runner creates the tables of the cluster, and shows how the cluster writes addresses
      const real = yield* Processes.runner(url, ledger)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.match((yield* healthyRunners).join(), /^127\.0\.0\.1:\d+$/)
        yield* Processes.kill(real)
        yield* sql`DELETE FROM cluster_runners`
        for (const port of [1, 2, 3])
          yield* sql`INSERT INTO cluster_runners (address, runner, healthy, last_heartbeat)
            VALUES (${`127.0.0.1:${port}`}, '{}', TRUE, NOW())`
        yield* Effect.provide(Effect.sleep("4 seconds"), watch(1, 2))
        assert.deepStrictEqual(yield* healthyRunners, ["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"])
        yield* Effect.provide(Effect.sleep("4 seconds"), watch(3, 2))
        assert.deepStrictEqual(yield* healthyRunners, ["127.0.0.1:2", "127.0.0.1:3"])
        // the last healthy runner checks none
        yield* sql`UPDATE cluster_runners SET healthy = FALSE WHERE address = '127.0.0.1:2'`
        yield* Effect.provide(Effect.sleep("4 seconds"), watch(3, 2))
        assert.deepStrictEqual(yield* healthyRunners, ["127.0.0.1:3"])
      }).pipe(Effect.provide(Postgres.layer({ url: Redacted.make(url) })))
    }).pipe(Effect.scoped)
  )
})
