/**
 * One of the processes that race for a budget: `budgetsRacer.ts STORES`. STORES is a JSON object of files or addresses by name.
 *
 * Prints `ready` when it is connected, and spends in every store when it reads from standard input.
 */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as Postgres from "#layers/Postgres"
import * as RedisNode from "#layers/RedisNode"
import * as SqliteNode from "#layers/SqliteNode"
import { Budgets } from "#services/Budgets"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { turn } from "./values.ts"

/** Many keys, so that several processes spend the budget of a key at the same time. */
const keys = Array.from({ length: 20 }, (_, i) => `raced ${i}`)

const stores = JSON.parse(process.argv[2] ?? "{}") as Readonly<Record<string, string>>

const budgetsOf = (place: string) => {
  const url = Redacted.make(place)
  if (place.startsWith("postgres:")) {
    return BudgetsSql.layer.pipe(Layer.provide(Postgres.layer({ url, maxConnections: 1 })))
  }
  return place.startsWith("redis:")
    ? BudgetsRedis.layerWith({ prefix: place.slice(place.indexOf("#") + 1) }).pipe(
        Layer.provide(RedisNode.layer({ url }))
      )
    : BudgetsSql.layer.pipe(Layer.provide(SqliteNode.layer({ filename: place, busyTimeout: "30 seconds" })))
}

const run = Effect.gen(function* () {
  const all = yield* Effect.forEach(Object.entries(stores), ([name, place]) =>
    Effect.map(Layer.build(budgetsOf(place)), (context) => ({ name, context }))
  )
  process.stdout.write("ready\n")
  yield* Effect.promise(() => once(process.stdin, "data"))
  process.stdin.unref()
  const spent = yield* Effect.forEach(
    all,
    ({ context, name }) =>
      Effect.forEach(
        keys,
        (key) =>
          Effect.map(
            Effect.flatMap(Budgets, ({ spend }) =>
              spend(turn, key, { limit: 3, onlyAfterTransient: false }, { now: 0 })
            ),
            (spending) => (spending._tag === "Spent" ? spending.remaining : spending._tag)
          ),
        { concurrency: "unbounded" }
      ).pipe(
        Effect.map((results) => [name, results] as const),
        Effect.provide(context)
      ),
    { concurrency: "unbounded" }
  )
  process.stdout.write(JSON.stringify(Object.fromEntries(spent)))
})

await Effect.runPromise(Effect.scoped(run))
