/** Runs the attacks of callers who know all ids of another owner on the stores in memory and in SQLite. */
import * as ApprovalsMemory from "#layers/ApprovalsMemory"
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as ForgetSql from "#layers/ForgetSql"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as StoresSql from "#layers/StoresSql"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { Forget } from "#services/Forget"
import { Effect, Layer } from "effect"
import { sqliteFile } from "../support/sqliteFile.ts"
import { attackKeys, attackStores, attackTurns } from "./TenantAttacks.ts"

const sqlite = Layer.fresh(Layer.merge(StoresSql.layer, ForgetSql.layer).pipe(Layer.provide(sqliteFile)))
const noForget = Layer.succeed(Forget, { forget: () => Effect.succeed({ removed: [], left: [], turns: [] }) })

attackKeys("memory", Layer.fresh(Layer.mergeAll(IdempotencyKeysMemory.layer, BudgetsMemory.layer, noForget)))
attackKeys("SQLite", sqlite)
attackStores(
  "memory",
  Layer.fresh(
    Layer.mergeAll(ApprovalsMemory.layer, ArtifactsMemory.layer, CallLogMemory.layer, CheckpointsMemory.layer)
  )
)
attackStores("SQLite", sqlite, sqlite)
attackTurns("memory", Layer.fresh(TurnMemoryMemory.layer))
