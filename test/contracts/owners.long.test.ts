/** Tests on servers that the data of owners with similar ids stay apart. */
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { needs } from "../support/prerequisites.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { onRedis } from "../support/stores.ts"
import { ownersOfArtifacts, ownersOfBudgets, ownersOfCheckpoints, ownersOfKeys } from "./Owners.ts"

describe("on PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("owners")
  ownersOfKeys("PostgreSQL", Layer.provide(IdempotencyKeysSql.layer, database))
  ownersOfBudgets("PostgreSQL", Layer.provide(BudgetsSql.layer, database))
  ownersOfArtifacts("PostgreSQL", Layer.provide(ArtifactsSql.layer, database))
  ownersOfCheckpoints("PostgreSQL", Layer.provide(CheckpointsSql.layer, database))
})

describe("on Redis", needs(redis), () => {
  ownersOfKeys(
    "Redis",
    onRedis((prefix) => IdempotencyKeysRedis.layerWith({ prefix }))
  )
  ownersOfBudgets(
    "Redis",
    onRedis((prefix) => BudgetsRedis.layerWith({ prefix }))
  )
})
