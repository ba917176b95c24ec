/** Runs the attacks of callers who know all ids of another owner on the stores in PostgreSQL and Redis. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as ForgetRedis from "#layers/ForgetRedis"
import * as ForgetSql from "#layers/ForgetSql"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as StoresSql from "#layers/StoresSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { emptied, onRedis } from "../support/stores.ts"
import { attackKeys, attackStores } from "./TenantAttacks.ts"

describe("on PostgreSQL", needs(postgres), () => {
  const stores = Layer.fresh(
    Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(Layer.provide(emptied(scratchDatabase("tenant_attacks"))))
  )
  attackKeys("PostgreSQL", stores)
  attackStores("PostgreSQL", stores, stores)
})

describe("on Redis", needs(redis), () => {
  attackKeys(
    "Redis",
    onRedis((prefix) =>
      Layer.mergeAll(
        IdempotencyKeysRedis.layerWith({ prefix }),
        BudgetsRedis.layerWith({ prefix }),
        ForgetRedis.layerWith({ prefix })
      )
    )
  )
})
