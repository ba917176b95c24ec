/**
 * Provides the eight stores that must survive the process, in one database.
 */
import type { Approvals } from "#services/Approvals"
import type { Artifacts } from "#services/Artifacts"
import type { Budgets } from "#services/Budgets"
import type { CallLog } from "#services/CallLog"
import type { Checkpoints } from "#services/Checkpoints"
import type { DatabaseUnavailable } from "#services/DatabaseUnavailable"
import type { Halts } from "#services/Halts"
import type { IdempotencyKeys } from "#services/IdempotencyKeys"
import type { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import * as ApprovalsSql from "./ApprovalsSql.ts"
import * as ArtifactsSql from "./ArtifactsSql.ts"
import * as BudgetsSql from "./BudgetsSql.ts"
import * as CallLogSql from "./CallLogSql.ts"
import * as CheckpointsSql from "./CheckpointsSql.ts"
import * as HaltsSql from "./HaltsSql.ts"
import * as IdempotencyKeysSql from "./IdempotencyKeysSql.ts"
import * as UnknownOutcomesSql from "./UnknownOutcomesSql.ts"

/** The services of the stores. */
export type Stores = Approvals | Artifacts | Budgets | CallLog | Checkpoints | Halts | IdempotencyKeys | UnknownOutcomes

/** All stores in the database of the `SqlClient`, with their defaults. Creates missing tables. */
export const layer: Layer.Layer<Stores, DatabaseUnavailable, SqlClient.SqlClient> = Layer.mergeAll(
  ApprovalsSql.layer,
  ArtifactsSql.layer,
  BudgetsSql.layer,
  CallLogSql.layer,
  CheckpointsSql.layer,
  HaltsSql.layer,
  IdempotencyKeysSql.layer,
  UnknownOutcomesSql.layer
)
