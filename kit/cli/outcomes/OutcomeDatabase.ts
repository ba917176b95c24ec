/** Opens the unknown outcomes in a database for the commands. */
import * as UnknownOutcomesSql from "effect-toolguard/layers/UnknownOutcomesSql"
import { UnknownOutcomes, type UnknownOutcomesUnavailable } from "effect-toolguard/services/UnknownOutcomes"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { failed, open } from "#kit/cli/console/Database"
import type { Problem } from "#kit/cli/console/Problem"

const store = {
  service: UnknownOutcomes,
  layer: UnknownOutcomesSql.layer,
  table: "toolguard_outcomes",
  contents: "unknown outcomes"
} as const

/** Runs an effect with the outcomes of a database. Fails with a `Problem` if the database becomes unavailable. */
export const using = <A>(
  database: Option.Option<string>,
  use: (outcomes: UnknownOutcomes["Service"]) => Effect.Effect<A, Problem | UnknownOutcomesUnavailable>
): Effect.Effect<A, Problem> =>
  Effect.flatMap(UnknownOutcomes, use).pipe(
    Effect.provide(open(store, database)),
    Effect.mapError((error) =>
      error._tag === "UnknownOutcomesUnavailable"
        ? failed(error, "Check the database and try again. A settlement is stored completely or not at all.")
        : error
    )
  )
