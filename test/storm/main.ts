/**
 * `npm run bench:storm [-- --seeds 20 --large 10000]`: compares the defaults of the guard with plain retries in outages
 * with 1,000 clients, in virtual time.
 *
 * Prints two tables: one process, ten, and ten that share the Redis at `TOOLGUARD_REDIS_URL`, by `--seeds` seeds; and one
 * outage with `--large` clients. `--only "10 program"` limits the lines to those that begin like this. Writes the chart docs/storm.svg. Exits with 1 if a figure is above its limit.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Context, Effect, Layer, Scope } from "effect"
import { Redis } from "effect/persistence"
import { clearRedis, redisAt } from "../support/redisKeys.ts"
import * as Chart from "./Chart.ts"
import * as Figures from "./Figures.ts"
import type { Deployment } from "./Fleet.ts"
import { type Client, kinds, plainClient, type Result, type Scenario, simulate } from "./Storm.ts"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    large: { type: "string", default: "10000" },
    only: { type: "string", default: "" }
  }
})
const [seeds, large] = [values.seeds, values.large].map(Number) as [number, number]
if (![seeds, large].every((value) => Number.isSafeInteger(value) && value > 0)) {
  console.error("--seeds and --large must be positive integers.")
  process.exit(2)
}

const url = process.env["TOOLGUARD_REDIS_URL"] ?? ""
const prefix = `storm-${process.pid}:`
const redis =
  url === ""
    ? undefined
    : Context.get(await Effect.runPromise(Layer.buildWithScope(redisAt(url), Scope.makeUnsafe())), Redis.Redis)

type Named = readonly [name: string, deployment: Deployment]

const alone: ReadonlyArray<Named> = [
  ["1", { processes: 1 }],
  ["10", { processes: 10 }]
]
const shared: ReadonlyArray<Named> =
  redis === undefined ? [] : [["10 with Redis", { processes: 10, shared: { redis, prefix } }]]

/** Makes one storm for each seed. */
const storms = async (clients: number, count: number, client: Client, deployment?: Deployment) => {
  const results: Array<Result> = []
  for (let seed = 1; seed <= count; seed += 1) {
    const storm: Scenario = { seed, clients, ...client }
    if (deployment === undefined) results.push(await simulate(storm))
    else {
      // each storm has keys of its own
      const keys = `${prefix}${clients}:${seed}:${client.caller}:${client.behaviour}:`
      const own = deployment.shared && { shared: { ...deployment.shared, prefix: keys } }
      results.push(await simulate({ ...storm, deployment: { ...deployment, ...own } }))
    }
  }
  return results
}

const failures: Array<string> = []

const printTable = async (
  clients: number,
  count: number,
  deployments: ReadonlyArray<Named>,
  clientKinds: ReadonlyArray<Client>
) => {
  const lines = deployments.flatMap(([name, deployment]) =>
    clientKinds.map((client) => ({ name, deployment, client, what: `${client.caller} ${client.behaviour}` }))
  )
  const chosen = lines.filter(({ name, what }) => `${name} ${what}`.startsWith(values.only))
  if (chosen.length === 0) return
  const plain = await storms(clients, count, plainClient)
  console.log(`${clients} clients, seeds 1 to ${count}: mean (least–largest)\n`)
  console.log(Figures.head)
  console.log(Figures.row("no guard", "plain retries", plain, plain, clients))
  for (const { client, deployment, name, what } of chosen) {
    const results = await storms(clients, count, client, deployment)
    console.log(Figures.row(name, what, results, plain, clients))
    failures.push(...Figures.exceeded(results, plain).map((text) => `${name}, ${what}, ${clients} clients: ${text}`))
  }
  console.log("")
}

/** Draws a storm with an outage of 40 seconds. */
const drawChart = async () => {
  const storm: Scenario = { seed: 17, clients: 1_000, ...plainClient }
  const svg = Chart.draw(storm.clients / 10, [
    { name: "plain retries with equal jitter", result: await simulate(storm) },
    {
      name: "with the guard, callers wait as long as it says",
      result: await simulate({ ...storm, behaviour: "obeys", deployment: { processes: 1 } })
    }
  ])
  writeFileSync(fileURLToPath(new URL("../../docs/storm.svg", import.meta.url)), svg)
}

await drawChart()
await printTable(1_000, seeds, [...alone, ...shared], kinds)
// a process has 16 slots for a tool by default, which is less than the capacity for so many clients
await printTable(large, 1, [...alone.slice(1), ...shared], kinds.slice(0, 1))

if (redis === undefined) console.log("Without TOOLGUARD_REDIS_URL, no processes share a circuit.")
else await Effect.runPromise(clearRedis(url, prefix))
for (const text of failures) console.log(`above its limit: ${text}`)
process.exit(failures.length === 0 ? 0 : 1)
