/**
 * `npm run bench:stores`: measures the cost of budgets, idempotency keys and journals in each store, next to the fewest
 * statements that keep the same promises (`stores/fewest.ts`).
 *
 * Steps of the store and of the raw statements take turns, one at a time, in one process and on one server; on SQLite in
 * two files of one folder. Figures are medians, and the ratio of the medians. Throughput is measured with 32 concurrent
 * steps of the store. `-- SQLite` measures one store, and `-- --json` prints one JSON object.
 */
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { Effect, Layer, ManagedRuntime, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "redis"
import { median, quantile } from "./measure.ts"
import * as Databases from "./databases.ts"
import { statementsOf } from "./stores/count.ts"
import * as Raw from "./stores/raw.ts"
import * as Steps from "./stores/steps.ts"

const isJson = process.argv.includes("--json")
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const isMeasured = (where: string) => only.length === 0 || only.includes(where)
const concurrency = 32

type Step = (i: number) => Effect.Effect<unknown, unknown>

interface Case {
  readonly what: string
  readonly where: string
  readonly calls: number
  readonly step: Step
  readonly raw: Step | undefined
  readonly close: () => Promise<void>
}

const caseOf = async <Service, E>(
  what: string,
  where: string,
  layer: Layer.Layer<Service, E>,
  step: (i: number) => Effect.Effect<unknown, unknown, Service>,
  raw?: Step
): Promise<Case> => {
  const runtime = ManagedRuntime.make(layer)
  const context = await runtime.context()
  return {
    what,
    where,
    calls: where === "memory" ? 20_000 : 1_000,
    step: (i) => Effect.provideContext(step(i), context),
    raw,
    close: () => runtime.dispose()
  }
}

const names = {
  budgets: "budgets: spend and settle",
  keys: "idempotency keys: claim and complete",
  journal: "journal: two rows of a round"
}

const sqlite = Databases.sqlite()
const folder = mkdtempSync(join(tmpdir(), "toolguard-bench-raw-"))
const rawSqlite = Raw.onSqlite(join(folder, "raw.db"))
const postgres = await Databases.postgres()
const redis = await Databases.redis()
const redisUrl = process.env["TOOLGUARD_REDIS_URL"]
const client = redisUrl === undefined ? undefined : createClient({ url: redisUrl })
await client?.connect()
const rawRedis = client === undefined ? undefined : await Raw.onRedis(client, Databases.prefix)
const scope = Scope.makeUnsafe()
const rawPostgres =
  postgres === undefined
    ? undefined
    : await Effect.runPromise(
        Effect.map(Layer.buildWithScope(postgres.layer, scope), (context) => context).pipe(
          Effect.flatMap((context) => Effect.provideContext(Raw.onPostgres(10), context)),
          Scope.provide(scope)
        )
      )

const onSql = (
  where: string,
  { layer }: Pick<NonNullable<typeof postgres>, "layer">,
  raw: Raw.RawSteps | undefined
) => [
  caseOf(names.budgets, where, Layer.provide(BudgetsSql.layer, layer), Steps.spendAndSettle, raw?.budgets),
  caseOf(names.keys, where, Layer.provide(IdempotencyKeysSql.layer, layer), Steps.claimAndComplete, raw?.keys),
  caseOf(names.journal, where, Layer.provide(CheckpointsSql.layer, layer), Steps.writeRound(), raw?.journal)
]
const { prefix } = Databases
const cases: Readonly<Record<string, () => ReadonlyArray<Promise<Case>>>> = {
  memory: () => [
    caseOf(names.budgets, "memory", BudgetsMemory.layer, Steps.spendAndSettle),
    caseOf(names.keys, "memory", IdempotencyKeysMemory.layer, Steps.claimAndComplete),
    caseOf(names.journal, "memory", CheckpointsMemory.layer, Steps.writeRound())
  ],
  SQLite: () => onSql("SQLite", sqlite, rawSqlite),
  Redis: () =>
    redis === undefined
      ? []
      : [
          caseOf(
            names.budgets,
            "Redis",
            Layer.provide(BudgetsRedis.layerWith({ prefix }), redis.layer),
            Steps.spendAndSettle,
            rawRedis?.budgets
          ),
          caseOf(
            names.keys,
            "Redis",
            Layer.provide(IdempotencyKeysRedis.layerWith({ prefix }), redis.layer),
            Steps.claimAndComplete,
            rawRedis?.keys
          )
        ],
  PostgreSQL: () => (postgres === undefined ? [] : onSql("PostgreSQL", postgres, rawPostgres))
}

interface Figure {
  readonly what: string
  readonly where: string
  readonly perSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly statements: number
  readonly raw?: { readonly p50Millis: number; readonly statements: number; readonly ratio: number }
}

/** Runs steps one at a time, the raw statements after each. Returns the milliseconds of both. */
const inTurns = ({ raw, step }: Case, from: number, calls: number) =>
  Effect.gen(function* () {
    const [own, other]: [Array<number>, Array<number>] = [[], []]
    for (let i = from; i < from + calls; i++) {
      const start = performance.now()
      yield* step(i)
      const between = performance.now()
      own.push(between - start)
      if (raw === undefined) continue
      yield* raw(i)
      other.push(performance.now() - between)
    }
    return [own, other] as const
  })

const measured = async (one: Case): Promise<Figure> => {
  const { calls, raw, step, what, where } = one
  await Effect.runPromise(inTurns(one, 0, calls)) // the warm-up compiles the code, and connects
  const [own, other] = await Effect.runPromise(inTurns(one, calls, calls))
  const counting = (of: Step) =>
    statementsOf(() =>
      Effect.runPromise(
        Effect.forEach(
          Array.from({ length: 100 }, (_, i) => 2 * calls + i),
          of
        )
      )
    )
  const statements = (await counting(step)) / 100
  const rawStatements = raw === undefined ? 0 : (await counting(raw)) / 100
  const all = Array.from({ length: calls }, (_, i) => 3 * calls + i)
  await Effect.runPromise(Effect.forEach(all.slice(0, 100), step, { concurrency, discard: true }))
  const start = performance.now()
  await Effect.runPromise(Effect.forEach(all.slice(100), step, { concurrency, discard: true }))
  const elapsed = performance.now() - start
  const [p50, rawP50] = [median(own), median(other)]
  return {
    what,
    where,
    perSecond: Math.round(((calls - 100) * 1_000) / elapsed),
    p50Millis: Number(p50.toFixed(3)),
    p99Millis: Number(
      quantile(
        [...own].sort((a, b) => a - b),
        0.99
      ).toFixed(3)
    ),
    statements,
    ...(raw === undefined
      ? {}
      : {
          raw: {
            p50Millis: Number(rawP50.toFixed(3)),
            statements: rawStatements,
            ratio: Number((p50 / rawP50).toFixed(2))
          }
        })
  }
}

const figures: Array<Figure> = []
for (const [where, made] of Object.entries(cases)) {
  for (const one of isMeasured(where) ? await Promise.all(made()) : []) {
    figures.push(await measured(one))
    await one.close()
  }
}
rawSqlite.close()
rmSync(folder, { recursive: true, force: true })
client?.destroy()
for (const database of [sqlite, redis, postgres]) await database?.remove()

if (isJson) {
  console.log(JSON.stringify({ stores: figures }))
} else {
  const line = (name: string, ...cells: ReadonlyArray<string | number>) =>
    console.log(name.padEnd(38) + cells.map((cell) => String(cell).padStart(12)).join(""))
  for (const what of Object.values(names)) {
    line(what, "p50 ms", "raw p50 ms", "ratio", "statements", "raw", "p99 ms", "per second")
    for (const { p50Millis, p99Millis, perSecond, raw, statements, where } of figures.filter(
      (one) => one.what === what
    )) {
      const beside = [
        raw?.p50Millis ?? "",
        raw?.ratio ?? "",
        raw === undefined ? "" : statements,
        raw?.statements ?? ""
      ]
      line(`  ${where}`, p50Millis, ...beside, p99Millis, perSecond)
    }
  }
  for (const [name, variable, database] of [
    ["Redis", "TOOLGUARD_REDIS_URL", redis],
    ["PostgreSQL", "TOOLGUARD_POSTGRES_URL", postgres]
  ] as const) {
    if (database === undefined && isMeasured(name)) console.log(`${name} was not measured: ${variable} is not set.`)
  }
}
process.exit(0)
