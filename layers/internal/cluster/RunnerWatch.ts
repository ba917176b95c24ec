/**
 * Notices dead runners. Effect's cluster has one runner that checks the others, so that its own death is noticed only when
 * its heartbeat expires.
 *
 * **Details**
 *
 * - Each runner checks the next runner in the order of the addresses, at every `interval`. If that runner cannot be
 *   reached, it is marked as unhealthy, and the others take over its shards. The criterion is the cluster's: six
 *   attempts in 2.5 seconds that are refused. A runner that hangs does not refuse, and loses its shards when its
 *   heartbeat expires.
 * - The cluster marks a runner as healthy again if it answers.
 */
import * as Database from "#layers/internal/sql/Database"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import type { Runners } from "effect/cluster/Runners"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { SqlClient } from "effect/sql/SqlClient"

interface RunnerWatchOptions {
  readonly host: string
  readonly port: number
  /** How often the next runner is checked. */
  readonly interval: Duration.Input
  /** A runner without a heartbeat for this time counts as gone. */
  readonly lockExpiration: Duration.Input
}

/** Checks the next runner of a PostgreSQL database until the scope closes. */
export const layer = ({
  host,
  interval,
  lockExpiration,
  port
}: RunnerWatchOptions): Layer.Layer<never, DatabaseUnavailable, SqlClient | Runners> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { run, sql } = yield* Database.Database
      const { isAlive } = yield* RunnerHealth.makePing
      const own = `${host}:${port}`
      const seconds = Duration.toSeconds(lockExpiration)
      const healthy = sql<{ readonly address: string }>`SELECT address FROM cluster_runners
        WHERE healthy AND last_heartbeat > NOW() - make_interval(secs => ${seconds})`
      const check = Effect.gen(function* () {
        const addresses = (yield* run(healthy)).map(({ address }) => address)
        const next = nextOf(addresses, own)
        const address = next === undefined ? undefined : addressOf(next)
        if (address === undefined || (yield* isAlive(address))) return
        yield* Effect.logWarning(`The runner ${next} does not answer. The other runners take over its runs.`)
        yield* run(sql`UPDATE cluster_runners SET healthy = FALSE WHERE address = ${next}`)
      }).pipe(Effect.catchCause((cause) => Effect.logDebug("The next runner could not be checked", cause)))
      yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(interval)))
    })
  ).pipe(Layer.provide(Database.layer))

/** Returns the address that a runner checks. A runner that is not healthy itself checks none. */
const nextOf = (addresses: ReadonlyArray<string>, own: string): string | undefined => {
  const others = addresses.filter((address) => address !== own).sort()
  return addresses.includes(own) ? (others.find((address) => address > own) ?? others[0]) : undefined
}

/** Reads an address, whose host may contain colons. */
const addressOf = (text: string): RunnerAddress | undefined => {
  const [, host, port] = /^(.+):(\d+)$/u.exec(text) ?? []
  return host === undefined ? undefined : RunnerAddress.make({ host, port: Number(port) })
}
