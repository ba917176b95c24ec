/** Tests that exactly the rows of a turn are erased, in SQLite, PostgreSQL and Redis. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as ForgetRedis from "#layers/ForgetRedis"
import * as ForgetSql from "#layers/ForgetSql"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as StoresSql from "#layers/StoresSql"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import { Budgets } from "#services/Budgets"
import { Checkpoints } from "#services/Checkpoints"
import { CallLog } from "#services/CallLog"
import { Forget, type ForgetScope } from "#services/Forget"
import { IdempotencyKeys } from "#services/IdempotencyKeys"
import { key as turnKey } from "#domain/turn/Turn"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { actionOf } from "../contracts/IdempotencyKeys.ts"
import { begin, type World } from "../agent/processes.ts"
import { tool } from "../pipeline/support.ts"
import { needs } from "../support/prerequisites.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { sqliteFile } from "../support/sqliteFile.ts"
import { onRedis } from "../support/stores.ts"
import { complete, fill, owners, spend } from "./forgetWorld.ts"

const scope = { tenant: "acme", conversation: "c1", principal: "ann", turn: "1" }

/** Scopes that match no row: each of them differs from `scope` in one part. */
const strangers: ReadonlyArray<ForgetScope> = [
  { ...scope, turn: "2" },
  { ...scope, principal: undefined },
  { ...scope, principal: "an" },
  { ...scope, conversation: "c" },
  { ...scope, tenant: "acm" },
  { tenant: "acme", conversation: `c1","1`, principal: "ann", turn: "1" }
]

const total = (removed: ReadonlyArray<{ readonly count: number }>) => removed.reduce((sum, { count }) => sum + count, 0)

const inSql = (name: string, database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>) =>
  it.effect(`8.3 ${name}: erasing a turn of a principal removes its rows, and no others`, () =>
    Effect.gen(function* () {
      yield* fill
      yield* (yield* CallLog).records
      const { forget } = yield* Forget
      for (const stranger of strangers) {
        assert.strictEqual(total((yield* forget(stranger)).removed), 0, JSON.stringify(stranger))
      }
      const { left, removed } = yield* forget(scope)
      assert.deepStrictEqual(Object.fromEntries(removed.map(({ count, store }) => [store, count])), {
        "idempotency keys": 1,
        approvals: 1,
        "unknown outcomes": 1,
        artifacts: 1,
        runs: 1,
        "call records": 1,
        "durable runs": 0,
        budgets: 1
      })
      assert.notInclude(
        left.map(({ store }) => store),
        "artifacts"
      )
      assert.strictEqual(total((yield* forget(scope)).removed), 0)
      const rest = total((yield* forget({ tenant: "acme" })).removed)
      // four owners of the tenant with seven rows each
      assert.strictEqual(rest, 4 * 7 - 7)
    }).pipe(Effect.provide(Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(Layer.provide(database))))
  )

/** Claims a key again as soon as its outcome was read. */
const claimedAgain = Layer.effect(
  Redis.Redis,
  Effect.map(Redis.Redis, (redis) => ({
    ...redis,
    send: <A>(command: string, ...args: ReadonlyArray<string>) => {
      const answer = redis.send<A>(command, ...args)
      return command === "HMGET" ? Effect.tap(answer, redis.send("HDEL", args[0]!, "outcome")) : answer
    }
  }))
)

/** Removes the turns of all artifacts, as in rows of versions that did not record turns. */
const withoutTurns = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE toolguard_artifacts SET turn = NULL`)

const unrecorded = (name: string, database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>) =>
  it.effect(`8.3 ${name}: an artifact without a recorded turn is reported, and erased with its conversation`, () =>
    Effect.gen(function* () {
      yield* fill
      yield* withoutTurns
      const { forget } = yield* Forget
      const { left, removed } = yield* forget(scope)
      assert.strictEqual(removed.find(({ store }) => store === "artifacts")?.count, 0)
      assert.deepStrictEqual(
        left.filter(({ store }) => store === "artifacts"),
        [
          {
            store: "artifacts",
            reason: "Artifacts of the conversation without a recorded turn: 1. They are removed when they expire."
          }
        ]
      )
      const whole = yield* forget({ ...scope, turn: undefined })
      assert.strictEqual(whole.removed.find(({ store }) => store === "artifacts")?.count, 1)
    }).pipe(
      Effect.provide(Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(Layer.provideMerge(Layer.fresh(database))))
    )
  )

/** Tests the erasure of a completed run whose id contains neither its conversation nor its principal. */
const endedRun = (name: string, database: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable>) =>
  it.effect(`8.3 ${name}: a completed run is erased with its turn, its conversation or its principal`, () =>
    Effect.gen(function* () {
      const world: World = { tools: [tool("read_it", {}, { n: 1 })], model: () => "It is done." }
      const { forget } = yield* Forget
      const { find } = yield* Checkpoints
      const key = { tenant: scope.tenant, principal: scope.principal, run: "job 17" }
      const scopes = [scope, { ...scope, turn: undefined }, { tenant: scope.tenant, principal: scope.principal }]
      for (const one of scopes) {
        yield* begin(world, { run: key.run, turn: scope })
        assert.isDefined((yield* find(key))?.end)
        for (const stranger of [...strangers, { tenant: "acme", principal: "bob" }]) yield* forget(stranger)
        assert.isDefined(yield* find(key))
        const { left, removed } = yield* forget(one)
        assert.strictEqual(removed.find(({ store }) => store === "runs")?.count, 1)
        assert.isUndefined(left.find(({ store }) => store === "runs"))
        assert.isUndefined(yield* find(key))
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(Layer.provide(Layer.fresh(database))))
    )
  )

describe("Forget of a turn", () => {
  unrecorded("SQLite", sqliteFile)
  endedRun("SQLite", sqliteFile)
  describe("on PostgreSQL", needs(postgres), () => {
    unrecorded("PostgreSQL", scratchDatabase("forget_unrecorded"))
    endedRun("PostgreSQL", scratchDatabase("forget_ended"))
  })
  inSql("SQLite", sqliteFile)

  describe("on PostgreSQL", needs(postgres), () => inSql("PostgreSQL", scratchDatabase("forget_turn")))

  describe("on Redis", needs(redis), () => {
    it.effect("8.3 Redis: erasing a turn of a principal removes its keys, and no others", () =>
      Effect.gen(function* () {
        for (const owner of owners) yield* Effect.andThen(complete(owner), spend(owner))
        yield* (yield* IdempotencyKeys).claim(actionOf("acme"))
        const { forget } = yield* Forget
        for (const stranger of strangers) {
          assert.strictEqual(total((yield* forget(stranger)).removed), 0, JSON.stringify(stranger))
        }
        const { removed } = yield* forget(scope, { turns: [turnKey(scope)] })
        assert.deepStrictEqual(removed, [
          { store: "idempotency keys in Redis", count: 1 },
          { store: "budgets in Redis", count: 1 }
        ])
        const { spend: spendUnit } = yield* Budgets
        const limit = { limit: 1, onlyAfterTransient: false }
        assert.strictEqual((yield* spendUnit(scope, "key", limit, { now: 0 }))._tag, "Spent")
        assert.strictEqual((yield* forget({ tenant: "acme" })).removed[0]?.count, 3)
      }).pipe(
        Effect.provide(
          onRedis((prefix) =>
            Layer.mergeAll(
              IdempotencyKeysRedis.layerWith({ prefix }),
              BudgetsRedis.layerWith({ prefix }),
              ForgetRedis.layerWith({ prefix })
            )
          )
        )
      )
    )

    it.effect("8.2 Redis: a key that is claimed again after it was found is kept and reported", () =>
      Effect.gen(function* () {
        yield* complete(owners[0]!)
        const { left, removed } = yield* (yield* Forget).forget({ tenant: owners[0]!.tenant })
        assert.strictEqual(removed[0]?.count, 0)
        assert.include(
          left.map(({ reason }) => reason),
          "Actions in flight: 1. Erase again after they have ended."
        )
      }).pipe(
        Effect.provide(
          onRedis((prefix) =>
            Layer.merge(
              IdempotencyKeysRedis.layerWith({ prefix }),
              Layer.provide(ForgetRedis.layerWith({ prefix }), claimedAgain)
            )
          )
        )
      )
    )
  })
})
