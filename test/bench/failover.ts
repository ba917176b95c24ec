/**
 * `npm run bench:failover [-- --runs 3 --signal SIGKILL]`: measures how long it takes until another runner repeats the call of a runner
 * that is killed (SIGKILL), asked to end (SIGTERM, without and with `GracefulShutdown`) or stopped (SIGSTOP). Two runners
 * with the default times share a database of the PostgreSQL that `TOOLGUARD_POSTGRES_URL` names. Prints one line for each
 * measurement.
 *
 * With SIGKILL, it also prints the longest pause between two calls of a run on the other runner, from the signal until
 * that run or 20 seconds have ended.
 */
import { Clock, Effect, Fiber } from "effect"
import type { Ledger } from "../durable/Ledger.ts"
import * as Processes from "../durable/Processes.ts"
import { agent, client, promptOf } from "../durable/World.ts"
import { freshDatabase } from "../support/servers.ts"

const index = process.argv.indexOf("--runs")
const runs = index < 0 ? 3 : Number(process.argv[index + 1])

const [rounds, callsOfRound] = [19, 300]

/** Executes a run of many calls on the runner that is not `owner`, and returns its longest pause. */
const pauseOf = (ledger: Ledger, owner: number) =>
  Effect.gen(function* () {
    for (let attempt = 0; ; attempt++) {
      const actions = Array.from({ length: rounds }, (_, round) =>
        Array.from({ length: callsOfRound }, (_, place) => `other_${attempt}_${round}_${place}`)
      )
      const count = () => actions.flat().reduce((sum, action) => sum + ledger.requests(action), 0)
      const run = { run: `other ${attempt}` }
      yield* agent.start({
        ...run,
        prompt: promptOf(actions.map((round) => round.map((action) => ["print", action] as const)))
      })
      yield* Effect.repeat(Effect.delay(Effect.sync(count), 10), { until: (calls) => calls > 0 })
      if (ledger.lastCaller() === owner) {
        yield* agent.cancel(run)
        yield* agent.result(run, 50)
        continue
      }
      const startedAt = yield* Clock.currentTimeMillis
      let [seen, at, longest] = [count(), yield* Clock.currentTimeMillis, 0]
      const end = at + 23_000
      while (at < end && seen < rounds * callsOfRound) {
        yield* Effect.sleep(10)
        const [calls, now] = [count(), yield* Clock.currentTimeMillis]
        longest = Math.max(longest, now - at)
        if (calls > seen) [seen, at] = [calls, now]
        if (now > end) break
      }
      return `${(longest / 1000).toFixed(1)} s in ${((yield* Clock.currentTimeMillis) - startedAt) / 1000} s`
    }
  })

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
      const pausing = signal === "SIGKILL" ? yield* Effect.forkChild(pauseOf(ledger, owner)) : undefined
      if (pausing !== undefined) yield* Effect.sleep("1 second")
      const sentAt = yield* Clock.currentTimeMillis
      process.kill(owner, signal)
      ledger.release()
      yield* Effect.repeat(Effect.delay(Effect.sync(ledger.lastCaller), 20), {
        until: (pid) => pid !== owner && ledger.requests("b") > 1
      })
      const seconds = ((yield* Clock.currentTimeMillis) - sentAt) / 1000
      const end = yield* agent.result(key, 50)
      const effects = ["a", "b", "c"].map(ledger.effects).join(" ")
      process.stdout.write(
        `${(drains ? `${signal}, drains` : signal).padEnd(16)} runner started ${isFirst ? "first " : "second"}  ${seconds.toFixed(1).padStart(5)} s  ${end._tag}, effects ${effects}${
          pausing === undefined ? "" : `, the other runner pauses ${yield* Fiber.join(pausing)}`
        }\n`
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

const only = process.argv.indexOf("--signal")
await Effect.runPromise(
  Effect.forEach(
    signals.filter(([signal]) => only < 0 || signal === process.argv[only + 1]),
    ([signal, drains]) =>
      Effect.forEach(
        Array.from({ length: runs }, (_, run) => run),
        (run) => measure(signal, drains, run)
      )
  )
)
process.exit(0)
