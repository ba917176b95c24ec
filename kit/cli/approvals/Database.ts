/** Opens the approvals in a database for the commands. */
import * as ApprovalsSql from "effect-toolguard/layers/ApprovalsSql"
import { Approvals, type ApprovalsUnavailable } from "effect-toolguard/services/Approvals"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { open } from "#kit/cli/console/Database"
import { type Problem, problem } from "#kit/cli/console/Problem"

const store = {
  service: Approvals,
  layer: ApprovalsSql.layer,
  table: "toolguard_approvals",
  contents: "approvals"
} as const

/** Opens the approvals of a database. Creates a missing file and missing tables if `mayCreate` is true. */
export const approvals = (database: Option.Option<string>, mayCreate = false): Layer.Layer<Approvals, Problem> =>
  open(store, database, mayCreate)

/** Runs an effect with the approvals of a database. Fails with a `Problem` if the database becomes unavailable. */
export const using = <A>(
  database: Option.Option<string>,
  use: (approvals: Approvals["Service"]) => Effect.Effect<A, Problem | ApprovalsUnavailable>
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Approvals, use).pipe(
    Effect.provide(approvals(database)),
    Effect.mapError((error) =>
      error._tag === "ApprovalsUnavailable"
        ? problem(
            "The database stopped responding.",
            "Check the database and try again. A decision is stored completely or not at all."
          )
        : error
    )
  )
