/**
 * The tables of all stores, made and brought up to date in one transaction when the first store is built.
 *
 * A step that has been released is never changed: a new one is added. Times are epoch milliseconds, texts are JSON where
 * a column says so; both dialects take the same statements.
 */
import { DatabasePlace, databaseUnavailable, type DatabaseUnavailable } from "#services/DatabaseUnavailable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Migrator from "effect/sql/Migrator"
import type * as SqlClient from "effect/sql/SqlClient"
import { approvalsTable } from "./ApprovalsTable.ts"
import { artifactsTable } from "./ArtifactsTable.ts"
import { budgetsTable } from "./BudgetsTable.ts"
import { callsTable } from "./CallsTable.ts"
import { checkpointsTables } from "./CheckpointsTables.ts"
import { keysTable } from "./KeysTable.ts"
import { remedyOf } from "./remedy.ts"

const steps = {
  "1_keys": keysTable,
  "2_budgets": budgetsTable,
  "3_approvals": approvalsTable,
  "4_artifacts": artifactsTable,
  "5_checkpoints": checkpointsTables,
  "6_calls": callsTable
}

/** Makes what is missing of the tables. Built once, however many stores need it. */
export const layer: Layer.Layer<never, DatabaseUnavailable, SqlClient.SqlClient> = Layer.effectDiscard(
  Effect.gen(function* () {
    const place = yield* DatabasePlace
    const migrate = Migrator.make({})({ loader: Migrator.fromRecord(steps), table: "toolguard_migrations" })
    return yield* Effect.mapError(migrate, (error) => {
      const cause = error._tag === "MigrationError" && error.cause !== undefined ? error.cause : error
      return databaseUnavailable(place, `Its tables cannot be made. ${remedyOf(cause)}`, cause)
    })
  })
)
