/** Tests that PostgreSQL and Redis contain no plaintext of a run if the stores encrypt. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as StoresSql from "#layers/StoresSql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Redis } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { encrypting } from "../support/atRest.ts"
import { needs } from "../support/prerequisites.ts"
import { clearRedis, redisAt, redisKeys } from "../support/redisKeys.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { emptied } from "../support/stores.ts"
import { planted, plantedRun, wordsIn } from "./plantedRun.ts"

/** Returns every row of every table. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const names = yield* sql<{ readonly name: string }>`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public'`
  const rows = yield* Effect.forEach(names, ({ name }) => sql`SELECT row_to_json(r)::text AS row FROM ${sql(name)} r`)
  return JSON.stringify(rows)
})

/** Returns every key with its content. */
const contents = (prefix: string) =>
  Effect.flatMap(redisKeys(prefix), (keys) =>
    Effect.forEach(keys, (key) =>
      Effect.gen(function* () {
        const { send } = yield* Redis.Redis
        const type = yield* send<string>("TYPE", key)
        const value =
          type === "hash" ? yield* send("HGETALL", key) : type === "list" ? yield* send("LRANGE", key, "0", "-1") : ""
        return JSON.stringify([key, type, value])
      })
    )
  ).pipe(
    Effect.map((all) => all.join("\n")),
    Effect.provide(redisAt(redis.url))
  )

describe("PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("planted")
  for (const [name, atRest, expected] of [
    ["without encryption, the tables contain every planted word", Layer.empty, Object.values(planted)],
    ["encrypted, the tables contain no planted word", encrypting(), []]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const stores = StoresSql.layer.pipe(Layer.provide(Layer.fresh(emptied(database))), Layer.provide(atRest))
        yield* plantedRun(stores)
        assert.sameMembers([...wordsIn(yield* Effect.provide(tables, database))], [...expected])
      })
    )
  }
})

describe("Redis", needs(postgres, redis), () => {
  const database = scratchDatabase("planted_redis")
  for (const [name, atRest, expected] of [
    ["without encryption, keys and budgets contain the result", Layer.empty, [planted.result]],
    ["encrypted, keys and budgets contain no planted word", encrypting(), []]
  ] as const) {
    it.live(
      name,
      () =>
        Effect.gen(function* () {
          const prefix = `toolguard-planted-${process.pid}-${expected.length}:`
          const inRedis = Layer.merge(IdempotencyKeysRedis.layerWith({ prefix }), BudgetsRedis.layerWith({ prefix }))
          const stores = StoresSql.layer.pipe(Layer.provide(Layer.fresh(emptied(database))))
          const all = Layer.merge(stores, inRedis.pipe(Layer.provide(redisAt(redis.url))))
          yield* Effect.ensuring(
            Effect.gen(function* () {
              yield* plantedRun(all.pipe(Layer.provide(atRest)))
              const dump = yield* contents(prefix)
              assert.include(dump, "key:")
              assert.deepStrictEqual(wordsIn(dump), expected)
            }),
            clearRedis(redis.url, prefix)
          )
        }),
      60_000
    )
  }
})
