/** Runs the contract of Halts in PostgreSQL and in Redis. */
import * as HaltsRedis from "#layers/HaltsRedis"
import * as HaltsSql from "#layers/HaltsSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { redisAt } from "../support/redisKeys.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { emptied, onRedis } from "../support/stores.ts"
import { haltsContract, sharedHaltsContract } from "./Halts.ts"

describe("PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("halts")
  haltsContract("PostgreSQL", Layer.fresh(Layer.provide(HaltsSql.layer, emptied(database))))
  const shared = scratchDatabase("halts_shared")
  sharedHaltsContract("PostgreSQL", () => Layer.fresh(Layer.provide(HaltsSql.layer, shared)))
})

describe("Redis", needs(redis), () => {
  haltsContract(
    "Redis",
    onRedis((prefix) => HaltsRedis.layerWith({ prefix }))
  )
  const prefix = `toolguard-test-${process.pid}-halts:`
  sharedHaltsContract("Redis", () => Layer.fresh(Layer.provide(HaltsRedis.layerWith({ prefix }), redisAt(redis.url))))
})
