/** The approvals in a database. */
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
  what: "approvals"
} as const

/** The approvals of a database. `mayMake`: whether a file, or its tables, are made where they are missing. */
export const approvals = (given: Option.Option<string>, mayMake = false): Layer.Layer<Approvals, Problem> =>
  open(store, given, mayMake)

/** Runs an effect on the approvals; a store that stops answering is a problem of one line. */
export const using = <A>(
  given: Option.Option<string>,
  use: (approvals: Approvals["Service"]) => Effect.Effect<A, Problem | ApprovalsUnavailable>
): Effect.Effect<A, Problem> =>
  Effect.flatMap(Approvals, use).pipe(
    Effect.provide(approvals(given)),
    Effect.mapError((error) =>
      error._tag === "ApprovalsUnavailable"
        ? problem("The database stopped answering.", "Look after it, and try again: nothing is decided by half.")
        : error
    )
  )
