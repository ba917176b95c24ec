/**
 * `npm run bench:stores`: measures the cost of budgets and idempotency keys in each store.
 *
 * Latency is measured one step at a time; throughput is measured with 32 concurrent steps. `-- --json` prints one JSON object.
 */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { type Outcome, success } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import { Budgets } from "#services/Budgets"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { Duration, Effect, Layer, ManagedRuntime } from "effect"
import { quantile } from "./measure.ts"
import * as Databases from "./databases.ts"

const isJson = process.argv.includes("--json")

const json = JSON.stringify({ orders: Array.from({ length: 10 }, (_, i) => ({ id: `O-${i}`, cents: 100 * i })) })
const outcome: Outcome = { ...success(JSON.parse(json)), json, bytes: json.length }
const text = OutcomeText.write(outcome, (value) => value)

/** Spends and settles the budget of a new key, with fifty keys per turn. */
const spendAndSettle = (i: number) =>
  Effect.flatMap(Budgets, ({ settle, spend }) => {
    const turn = { tenant: "bench", conversation: "bench", turn: String(Math.floor(i / 50)) }
    const key = `search_orders {"page":${i}}`
    return Effect.andThen(
      spend(turn, key, { limit: 3, onlyAfterTransient: false }, { now: 0 }),
      settle(turn, key, { outcome, digest: "d".repeat(64), isLast: false })
    )
  })

/** Claims and completes a new key. */
const claimAndComplete = (i: number) =>
  Effect.flatMap(IdempotencyKeys, ({ claim, complete }) => {
    const request = {
      tenant: "bench",
      key: `idem_${i}`,
      binding: `refund_order {"order":${i}}`,
      timeToLive: Duration.hours(24),
      lease: Duration.seconds(60),
      callId: `call_${i}`,
      isResumed: false
    }
    return Effect.flatMap(claim(request), (claimed) =>
      claimed._tag === "Claimed" ? complete(request, claimed.owner, text, true) : Effect.die(claimed._tag)
    )
  })

interface Case {
  readonly what: string
  readonly where: string
  /** Runs `calls` steps with the given concurrency, and returns the milliseconds of each. */
  readonly run: (from: number, calls: number, concurrency: number) => Promise<ReadonlyArray<number>>
  readonly close: () => Promise<void>
}

const caseOf = <Service, E>(
  what: string,
  where: string,
  layer: Layer.Layer<Service, E>,
  step: (i: number) => Effect.Effect<unknown, unknown, Service>
): Case => {
  const runtime = ManagedRuntime.make(layer)
  const timed = (i: number) =>
    Effect.suspend(() => {
      const start = performance.now()
      return Effect.map(step(i), () => performance.now() - start)
    })
  return {
    what,
    where,
    run: (from, calls, concurrency) =>
      runtime.runPromise(
        Effect.forEach(
          Array.from({ length: calls }, (_, i) => from + i),
          timed,
          { concurrency }
        )
      ),
    close: () => runtime.dispose()
  }
}

const budgets = "budgets: spend and settle"
const keys = "idempotency keys: claim and complete"

const sqlite = Databases.sqlite()
const postgres = await Databases.postgres()
const redis = await Databases.redis()

const onSql = (where: string, { layer }: Pick<NonNullable<typeof postgres>, "layer">): ReadonlyArray<Case> => [
  caseOf(budgets, where, Layer.provide(BudgetsSql.layer, layer), spendAndSettle),
  caseOf(keys, where, Layer.provide(IdempotencyKeysSql.layer, layer), claimAndComplete)
]
const { prefix } = Databases
const cases: ReadonlyArray<Case> = [
  caseOf(budgets, "memory", BudgetsMemory.layer, spendAndSettle),
  caseOf(keys, "memory", IdempotencyKeysMemory.layer, claimAndComplete),
  ...onSql("SQLite", sqlite),
  ...(redis === undefined
    ? []
    : [
        caseOf(budgets, "Redis", Layer.provide(BudgetsRedis.layerWith({ prefix }), redis.layer), spendAndSettle),
        caseOf(keys, "Redis", Layer.provide(IdempotencyKeysRedis.layerWith({ prefix }), redis.layer), claimAndComplete)
      ]),
  ...(postgres === undefined ? [] : onSql("PostgreSQL", postgres))
]

const figures: Array<{
  readonly what: string
  readonly where: string
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
}> = []
for (const { close, run, what, where } of [...cases].sort((a, b) => a.what.localeCompare(b.what))) {
  const calls = where === "memory" ? 20_000 : 1_000
  await run(0, calls, 1) // the warm-up compiles the code, connects and creates the tables
  const latencies = [...(await run(calls, calls, 1))].sort((a, b) => a - b)
  const start = performance.now()
  await run(2 * calls, calls, 32)
  figures.push({
    what,
    where,
    perSecond: Math.round((calls * 1_000) / (performance.now() - start)),
    p50Millis: Number(quantile(latencies, 0.5).toFixed(3)),
    p99Millis: Number(quantile(latencies, 0.99).toFixed(3))
  })
  await close()
}
for (const database of [sqlite, redis, postgres]) await database?.remove()

if (isJson) {
  console.log(JSON.stringify({ stores: figures }))
} else {
  let before = ""
  for (const { p50Millis, p99Millis, perSecond, what, where } of figures) {
    if (what !== before)
      console.log(`${what.padEnd(40)}${["per second", "p50 ms", "p99 ms"].map((t) => t.padStart(12)).join("")}`)
    before = what
    console.log(`  ${where.padEnd(38)}${[perSecond, p50Millis, p99Millis].map((n) => String(n).padStart(12)).join("")}`)
  }
  for (const [name, variable, database] of [
    ["Redis", "TOOLGUARD_REDIS_URL", redis],
    ["PostgreSQL", "TOOLGUARD_POSTGRES_URL", postgres]
  ] as const) {
    if (database === undefined) console.log(`${name} was not measured: ${variable} is not set.`)
  }
}
process.exit(0)
