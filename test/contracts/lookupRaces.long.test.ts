/** Explores more lookups that race with each other, over stores in memory and on servers. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { onTestTime } from "../support/redisTime.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { inMemory, lookupRacesContract, onDatabase, threeTimes } from "./LookupRaces.ts"

lookupRacesContract("memory", inMemory, { seeds: 150 })

describe("on PostgreSQL", needs(postgres), () => {
  lookupRacesContract("PostgreSQL", onDatabase(scratchDatabase("lookup_races")), { seeds: 12 })
})

describe("on Redis", needs(redis), () => {
  const prefix = `toolguard-lookup-races-${process.pid}:`
  const stores = onRedis(() =>
    Layer.merge(IdempotencyKeysRedis.layerWith({ prefix }), BudgetsRedis.layerWith({ prefix })).pipe(
      Layer.provide(onTestTime)
    )
  )
  lookupRacesContract("Redis", threeTimes(stores), { seeds: 12 })
})
