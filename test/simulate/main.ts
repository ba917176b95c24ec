/**
 * Simulates the guard with faults and checks the invariants: `npm run simulate -- --seeds 1000 [--seed 1] [--without
 * claim] [--jobs 2] [--trace]`.
 *
 * Prints the number of simulations per minute, the faults that happened, and each violation as a test that fails. Exits
 * with 1 if there was a violation. `--without` breaks the guard on purpose: each thread stops at its first violation,
 * and the command then exits with 1 if there was none. `--trace` prints each request of only the first seed.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { kinds } from "./Faults.ts"
import { type Sabotage, sabotages } from "./Sabotage.ts"
import { shrink, testOf } from "./Shrink.ts"
import { simulate } from "./Simulation.ts"

/** A part of the seeds, for one thread. */
interface Task {
  readonly from: number
  readonly count: number
  readonly step: number
  readonly sabotage: Sabotage | undefined
}

/** The results of a thread since its last message. */
interface Report {
  readonly seeds: number
  readonly requests: number
  readonly effects: number
  readonly faults: Readonly<Record<string, number>>
  readonly failed: ReadonlyArray<{
    readonly seed: number
    readonly violations: ReadonlyArray<string>
    readonly test: string
  }>
}

const sabotageOf = (sabotage: Sabotage | undefined) => (sabotage === undefined ? {} : { sabotage })

const simulateOne = (seed: number, sabotage: Sabotage | undefined): Report => {
  const options = { seed, ...sabotageOf(sabotage) }
  const result = simulate(options)
  const faults: Record<string, number> = {}
  for (const { kind } of result.faults.values()) faults[kind] = (faults[kind] ?? 0) + 1
  const { violations } = result
  const failed = violations.length === 0 ? [] : [{ seed, violations, test: testOf(shrink(options, result)) }]
  return { seeds: 1, requests: result.requests, effects: result.effects, faults, failed }
}

if (!isMainThread) {
  const { count, from, sabotage, step } = workerData as Task // the main thread below sends it
  for (let seed = from; seed < from + count * step; seed += step) {
    const report = simulateOne(seed, sabotage)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
    parentPort?.postMessage(report)
    if (sabotage !== undefined && report.failed.length > 0) break
  }
} else {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      without: { type: "string" },
      jobs: { type: "string", default: String(availableParallelism()) },
      trace: { type: "boolean", default: false }
    }
  })
  const sabotage = sabotages.find((name) => name === `no ${values.without}` || name === values.without)
  const names = new Intl.ListFormat("en", { type: "disjunction" }).format(
    sabotages.map((name) => JSON.stringify(name.replace(/^no /u, "")))
  )
  if (values.without !== undefined && sabotage === undefined) {
    console.error(`--without must be ${names}, not ${JSON.stringify(values.without)}.`)
    process.exit(2)
  }
  const [seeds, first, jobs] = [values.seeds, values.seed, values.jobs].map(Number) as [number, number, number]
  if (![seeds, first, jobs].every((value) => Number.isSafeInteger(value) && value > 0)) {
    console.error("--seeds, --seed and --jobs must be positive integers.")
    process.exit(2)
  }
  if (values.trace) {
    const { violations } = simulate({ seed: first, ...sabotageOf(sabotage), trace: console.log })
    console.log(violations)
    process.exit(violations.length === 0 ? 0 : 1)
  }

  const since = performance.now()
  const total = { seeds: 0, requests: 0, effects: 0, failed: 0 }
  const faults = new Map<string, number>()
  const add = (report: Report) => {
    total.seeds += report.seeds
    total.requests += report.requests
    total.effects += report.effects
    total.failed += report.failed.length
    for (const [kind, count] of Object.entries(report.faults)) faults.set(kind, (faults.get(kind) ?? 0) + count)
    for (const { seed, test, violations } of report.failed)
      console.log(`seed ${seed}:\n${violations.map((text) => `  ${text}`).join("\n")}\n${test}\n`)
  }
  await Promise.all(
    Array.from({ length: Math.min(jobs, seeds) }, (_, index) => {
      const count = Math.ceil((seeds - index) / jobs)
      const task: Task = { from: first + index, count, step: jobs, sabotage }
      const worker = new Worker(new URL(import.meta.url), { workerData: task })
      worker.on("message", add)
      return new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject))
    })
  )
  const minutes = (performance.now() - since) / 60_000
  const list = kinds.map((kind) => `${kind} ${faults.get(kind) ?? 0}`).join(", ")
  console.log(`${total.seeds} simulations, ${Math.round(total.seeds / minutes)} per minute`)
  console.log(`${total.requests} requests, ${total.effects} effects; faults: ${list}`)
  console.log(`${total.failed} simulations with a violation${sabotage === undefined ? "" : ` (${sabotage})`}`)
  process.exit((sabotage === undefined) === (total.failed === 0) ? 0 : 1)
}
