/** Opens the approvals and the unknown outcomes in a database for the commands. */
import * as ApprovalsSql from "effect-toolguard/layers/ApprovalsSql"
import * as UnknownOutcomesSql from "effect-toolguard/layers/UnknownOutcomesSql"
import { Approvals, type ApprovalsUnavailable } from "effect-toolguard/services/Approvals"
import { UnknownOutcomes } from "effect-toolguard/services/UnknownOutcomes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { failed, open } from "#kit/cli/console/Database"
import type { Problem } from "#kit/cli/console/Problem"

const store = {
  service: Approvals,
  layer: ApprovalsSql.layer,
  table: "toolguard_approvals",
  contents: "approvals"
} as const

/** Opens the stores of the inbox in a database. Creates the file and the tables if they do not exist. */
export const inboxStores = (database: Option.Option<string>): Layer.Layer<Approvals | UnknownOutcomes, Problem> =>
  Layer.merge(
    open(store, database, true),
    open(
      {
        service: UnknownOutcomes,
        layer: UnknownOutcomesSql.layer,
        table: "toolguard_outcomes",
        contents: "unknown outcomes"
      },
      database,
      true
    )
  )

/** Runs an effect with the approvals of a database. Fails with a `Problem` if the database becomes unavailable. */
export const using = <A>(
  database: Option.Option<string>,
  use: (approvals: Approvals["Service"]) => Effect.Effect<A, Problem | ApprovalsUnavailable>
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Approvals, use).pipe(
    Effect.provide(open(store, database)),
    Effect.mapError((error) =>
      error._tag === "ApprovalsUnavailable"
        ? failed(error, "Check the database and try again. A decision is stored completely or not at all.")
        : error
    )
  )
