/** Tests in memory and in SQLite that the data of owners with similar ids stay apart. */
import * as ArtifactsMemory from "#layers/ArtifactsMemory"
import * as ArtifactsSql from "#layers/ArtifactsSql"
import * as BudgetsMemory from "#layers/BudgetsMemory"
import * as BudgetsSql from "#layers/BudgetsSql"
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as IdempotencyKeysMemory from "#layers/IdempotencyKeysMemory"
import * as IdempotencyKeysSql from "#layers/IdempotencyKeysSql"
import * as SqliteNode from "#layers/SqliteNode"
import * as TurnMemoryMemory from "#layers/TurnMemoryMemory"
import { Layer } from "effect"
import { ownersOfArtifacts, ownersOfBudgets, ownersOfCheckpoints, ownersOfKeys, ownersOfTexts } from "./Owners.ts"

const sqlite = SqliteNode.layer({ filename: ":memory:" })

ownersOfKeys("memory", IdempotencyKeysMemory.layer)
ownersOfKeys("SQLite", Layer.provide(IdempotencyKeysSql.layer, sqlite))
ownersOfBudgets("memory", BudgetsMemory.layer)
ownersOfBudgets("SQLite", Layer.provide(BudgetsSql.layer, sqlite))
ownersOfArtifacts("memory", ArtifactsMemory.layer)
ownersOfArtifacts("SQLite", Layer.provide(ArtifactsSql.layer, sqlite))
ownersOfCheckpoints("memory", CheckpointsMemory.layer)
ownersOfCheckpoints("SQLite", Layer.provide(CheckpointsSql.layer, sqlite))
ownersOfTexts("memory", TurnMemoryMemory.layer)
