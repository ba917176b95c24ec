/** Runs the contracts of keys and budgets in Redis, and of keys and checkpoints in PostgreSQL, with encryption. */
import * as BudgetsRedis from "#layers/BudgetsRedis"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysRedis from "#layers/IdempotencyKeysRedis"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import { describe } from "@effect/vitest"
import { Layer } from "effect"
import { encrypting } from "../support/atRest.ts"
import { needs } from "../support/prerequisites.ts"
import { postgres, redis, scratchDatabase } from "../support/servers.ts"
import { onTestTime } from "../support/redisTime.ts"
import { onRedis } from "../support/stores.ts"
import { budgetsContract } from "./Budgets.ts"
import { checkpointsContract } from "./Checkpoints.ts"
import { idempotencyKeysContract } from "./IdempotencyKeys.ts"

describe("on Redis", needs(redis), () => {
  idempotencyKeysContract(
    "Redis, AES",
    onRedis((prefix) => IdempotencyKeysRedis.layerWith({ prefix }).pipe(Layer.provide([encrypting(), onTestTime]))),
    { isShared: false }
  )
  budgetsContract(
    "Redis, AES",
    onRedis((prefix) => BudgetsRedis.layerWith({ prefix }).pipe(Layer.provide([encrypting(), onTestTime])))
  )
})

describe("on PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("at_rest_contracts")
  idempotencyKeysContract(
    "PostgreSQL, AES",
    IdempotencyKeysSql.layer.pipe(Layer.provide(database), Layer.provide(encrypting())),
    { isShared: true }
  )
  checkpointsContract(
    "PostgreSQL, AES",
    CheckpointsSql.layer.pipe(Layer.provide(database), Layer.provide(encrypting()))
  )
})
