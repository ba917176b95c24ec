/**
 * `npm run bench:failover [-- --runs 3]`: measures how long it takes until another runner repeats the call of a runner
 * that is killed (SIGKILL), asked to end (SIGTERM, without and with `GracefulShutdown`) or stopped (SIGSTOP). Two runners
 * with the default times share a database of the PostgreSQL that `TOOLGUARD_POSTGRES_URL` names, and one of them monitors
 * the other. Prints one line for each measurement.
 */
import { Clock, Effect } from "effect"
import * as Processes from "../durable/Processes.ts"
import { agent, client, promptOf } from "../durable/World.ts"
import { freshDatabase } from "../support/servers.ts"

const index = process.argv.indexOf("--runs")
const runs = index < 0 ? 3 : Number(process.argv[index + 1])

const measure = (signal: NodeJS.Signals, drains: boolean, run: number) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase("failover")
    const ledger = yield* Processes.ledger
    const options = { hasDefaultTimes: true, drains }
    const first = yield* Processes.runner(url, ledger, options)
    yield* Processes.runner(url, ledger, options)
    yield* Effect.sleep("5 seconds") // both have their shards
    yield* Effect.gen(function* () {
      const key = { run: `run ${run}` }
      const reached = ledger.hold("b")
      yield* agent.start({ ...key, prompt: promptOf([[["pay", "a"]], [["pay", "b"]], [["pay", "c"]]]) })
      yield* Effect.promise(() => reached)
      const owner = ledger.lastCaller()
      const isFirst = first.pid === owner
      const sentAt = yield* Clock.currentTimeMillis
      process.kill(owner, signal)
      ledger.release()
      yield* Effect.repeat(Effect.delay(Effect.sync(ledger.lastCaller), 20), { until: (pid) => pid !== owner })
      const seconds = ((yield* Clock.currentTimeMillis) - sentAt) / 1000
      const end = yield* agent.result(key, 50)
      const effects = ["a", "b", "c"].map(ledger.effects).join(" ")
      process.stdout.write(
        `${(drains ? `${signal}, drains` : signal).padEnd(16)} runner started ${isFirst ? "first " : "second"}  ${seconds.toFixed(1).padStart(5)} s  ${end._tag}, effects ${effects}\n`
      )
      if (signal === "SIGSTOP") process.kill(owner, "SIGCONT")
    }).pipe(Effect.provide(client(url)))
  }).pipe(Effect.scoped)

const signals = [
  ["SIGKILL", false],
  ["SIGTERM", false],
  ["SIGTERM", true],
  ["SIGSTOP", false]
] as const

await Effect.runPromise(
  Effect.forEach(signals, ([signal, drains]) =>
    Effect.forEach(
      Array.from({ length: runs }, (_, run) => run),
      (run) => measure(signal, drains, run)
    )
  )
)
process.exit(0)
