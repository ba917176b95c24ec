/** Runs the contract of Budgets on servers, and tests several processes that spend one budget. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as Postgres from "#layers/Postgres"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { race } from "../support/race.ts"
import { once } from "../support/children.ts"
import { needs } from "../support/prerequisites.ts"
import { postgres, redis, scratchDatabase, scratchUrl } from "../support/servers.ts"
import { onTestTime } from "../support/redisTime.ts"
import { clearRedis } from "../support/redisKeys.ts"
import { emptied, onRedis } from "../support/stores.ts"
import { budgetsContract } from "./Budgets.ts"
import { writeLookupContract } from "./WriteLookup.ts"
import { clientClockOfBudgets } from "./ClientClock.ts"

const racers = 20

describe("a budget that several processes spend", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolguard-budgets-"))
  const prefix = `toolguard-race-${process.pid}:`
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    if (redis.absent === undefined) await Effect.runPromise(clearRedis(redis.url, prefix))
  })
  if (postgres.absent === undefined) scratchDatabase("race")
  /** The results of each process in each store, by key: the number of units left, or `Exhausted`. */
  const raced = once(() => {
    const stores = {
      sqlite: join(folder, "stores.db"),
      ...(postgres.absent === undefined ? { postgres: scratchUrl("race") } : {}),
      ...(redis.absent === undefined ? { redis: `${redis.url}#${prefix}` } : {})
    }
    return race<Readonly<Record<string, ReadonlyArray<number | string>>>>(
      "test/contracts/budgetsRacer.ts",
      Array.from({ length: racers }, () => [JSON.stringify(stores)])
    )
  })
  const threeWinners = (name: string) =>
    it("4.7 three of twenty processes get a unit of a budget of three, for each of twenty keys", async () => {
      const all = await raced()
      const expected = [0, 1, 2, ...Array.from({ length: racers - 3 }, () => "Exhausted")]
      const actual = all[0]?.[name]?.map((_, key) => all.map((stores) => stores[name]?.[key]).sort())
      assert.deepStrictEqual(
        actual,
        Array.from({ length: 20 }, () => expected)
      )
    })
  describe("a SQLite file", () => threeWinners("sqlite"))
  describe("PostgreSQL", needs(postgres), () => threeWinners("postgres"))
  describe("Redis", needs(redis), () => threeWinners("redis"))
})

describe("on a server", needs(postgres), () => {
  const database = emptied(scratchDatabase("budgets"))
  budgetsContract("PostgreSQL", BudgetsSql.layer.pipe(Layer.provide(database)))
  // the layer of `scratchDatabase` has the time of the test clock
  const clocked = Postgres.layer({ url: Redacted.make(scratchUrl("budget_clock")) })
  scratchDatabase("budget_clock")
  clientClockOfBudgets("PostgreSQL", Layer.provide(BudgetsSql.layer, clocked))
  writeLookupContract("PostgreSQL", Layer.provide(BudgetsSql.layer, clocked))
})

describe("on a server", needs(redis), () => {
  budgetsContract(
    "Redis",
    onRedis((prefix) => BudgetsRedis.layerWith({ prefix }).pipe(Layer.provide(onTestTime)))
  )
  writeLookupContract(
    "Redis",
    onRedis((prefix) => BudgetsRedis.layerWith({ prefix }))
  )
  const prefix = `toolguard-budget-clock-${process.pid}:`
  afterAll(() => Effect.runPromise(clearRedis(redis.url, prefix)))
  clientClockOfBudgets(
    "Redis",
    onRedis(() => BudgetsRedis.layerWith({ prefix }))
  )
})
