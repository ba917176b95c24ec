/** Tests that while PostgreSQL is unavailable, budgets fail with the address and the remedy, and records wait. */
import * as BudgetsSql from "#layers/BudgetsSql"
import * as CallLogSql from "#layers/CallLogSql"
import * as Postgres from "#layers/Postgres"
import { Budgets, type BudgetsUnavailable } from "#services/Budgets"
import { CallLog } from "#services/CallLog"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { recordOf } from "../contracts/CallLog.ts"
import { turn } from "../contracts/values.ts"
import { needs } from "../support/prerequisites.ts"
import { type Proxy, proxyTo } from "../support/proxy.ts"
import { postgres, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { emptied } from "../support/stores.ts"
import { recorded, until } from "../support/logs.ts"

const one = { limit: 1, onlyAfterTransient: false }
const many = { limit: 100, onlyAfterTransient: false }

const causeOf = ({ cause }: BudgetsUnavailable): string => (cause instanceof Error ? cause.message : String(cause))

describe("a server that becomes unavailable", needs(postgres), () => {
  const suite = scratchDatabase("away")
  const database = emptied(suite)

  /** Runs an effect with stores in the emptied database, whose connections go through a proxy. */
  const behind = <A, E>(
    run: (proxy: Proxy) => Effect.Effect<A, E, Budgets | CallLog>
  ): Effect.Effect<A, E | DatabaseUnavailable> =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(database)
        const proxy = yield* proxyTo(scratchUrl("away"))
        const url = Redacted.make(proxy.url)
        const stores = Layer.mergeAll(BudgetsSql.layer, CallLogSql.layer)
        return yield* Effect.provide(run(proxy), Layer.provide(stores, Postgres.layer({ url })))
      })
    )

  it.effect(
    "12.3 budgets fail with the address and the remedy, records wait, and both recover after a disconnection",
    () => {
      const { layer, messages } = recorded()
      // the test clock warns if the server takes more than a second of real time
      const warnings = () => messages.filter((message) => !message.startsWith("Warn A test is using time"))
      return behind((proxy) =>
        Effect.gen(function* () {
          const { spend } = yield* Budgets
          const { append, records } = yield* CallLog
          const place = `Cannot use PostgreSQL at 127.0.0.1:${proxy.port}/toolguard_away_${process.pid}.`
          yield* spend(turn, "a", many, { now: 0 })
          proxy.cut()
          assert.strictEqual(
            causeOf(yield* Effect.flip(spend(turn, "a", many, { now: 0 }))),
            `${place} No server answers at this address: check the host and port, and whether the server is running.`
          )
          append(recordOf("1"))
          yield* until(() => warnings().length === 1)
          proxy.restore()
          const spending = yield* spend(turn, "a", many, { now: 0 })
          assert.deepStrictEqual(spending, { _tag: "Spent", remaining: 98, returning: 0 })
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(yield* records, [recordOf("1")])
          assert.deepStrictEqual(warnings(), [
            `Warn ${place} No server answers at this address: check the host and port, and whether the server is running. Call records waiting: 1; dropped: 0.`
          ])
        })
      ).pipe(Effect.provide(layer))
    }
  )

  it.effect(
    "12.3 budgets continue if every connection of the pool is broken, which shows only at its next request",
    () =>
      behind((proxy) =>
        Effect.gen(function* () {
          const { spend } = yield* Budgets
          const spending = spend(turn, "a", many, { now: 0 })
          yield* Effect.all(
            Array.from({ length: 9 }, () => spending),
            { concurrency: "unbounded" }
          )
          proxy.breakLater()
          assert.deepStrictEqual(yield* spending, { _tag: "Spent", remaining: 90, returning: 0 })
        })
      )
  )

  it.effect("12.3 budgets fail after five seconds if the server hangs, and the layer still closes", () =>
    behind((proxy) =>
      Effect.gen(function* () {
        const { spend } = yield* Budgets
        proxy.hang()
        const spending = yield* Effect.forkChild(Effect.flip(spend(turn, "a", one, { now: 0 })), {
          startImmediately: true
        })
        yield* TestClock.adjust("5 seconds")
        assert.match(
          causeOf(yield* Fiber.join(spending)),
          /^Cannot use PostgreSQL at .* The database did not respond in time: check its load and the network\.$/u
        )
      })
    )
  )

  it.effect("4.7 budgets continue with a new connection after the server has closed the old connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { spend } = yield* Budgets
      const remaining: Array<number> = []
      const [{ database: name } = { database: "" }] = yield* sql<{ readonly database: string }>`
        SELECT current_database() AS database`
      // another client closes the connection, and the pool notices only at the next statement
      const kill = Effect.provide(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`
        ),
        Postgres.layer({ url: Redacted.make(postgres.url) })
      )
      for (let i = 0; i < 5; i += 1) {
        const spending = yield* spend(turn, "a", many, { now: 0 })
        if (spending._tag === "Spent") remaining.push(spending.remaining)
        yield* kill
      }
      assert.deepStrictEqual(remaining, [99, 98, 97, 96, 95])
    }).pipe(Effect.provide(BudgetsSql.layer.pipe(Layer.provideMerge(database))))
  )

  it.effect("4.7 a missing table is reported with the server's message", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { spend } = yield* Budgets
      yield* sql`DROP TABLE toolguard_budgets`
      const message = causeOf(yield* Effect.flip(spend(turn, "a", one, { now: 0 })))
      const { host, pathname } = new URL(scratchUrl("away"))
      assert.include(message, `Cannot use PostgreSQL at ${host}${pathname}. The server says: `)
      assert.match(message, /^Cannot .*\. The server says: .*toolguard_budgets/u)
    }).pipe(Effect.provide(BudgetsSql.layer.pipe(Layer.provideMerge(database))))
  )
})
