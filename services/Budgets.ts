/**
 * Counts attempts without progress, per turn and call key (SPEC 4.7).
 *
 * **Details**
 *
 * - `spend` takes one unit, atomically, and says no where the limit is reached: check and act in one step.
 * - `settle` tells how the attempt ended. A success whose digest differs from the last one's resets the count.
 * - `progress` resets all other counts of the turn: a non-read call succeeded, so the world has changed.
 * - `end` forgets a turn.
 */
import type { Turn } from "#domain/turn/Turn"
import type { Outcome } from "#domain/call/Outcome"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the budgets does not answer. Writes are then refused, reads go on. */
export class BudgetsUnavailable extends Schema.TaggedError<BudgetsUnavailable>("effect-toolguard/BudgetsUnavailable")(
  "BudgetsUnavailable",
  { cause: Schema.Defect() }
) {}

/** How a key's budget is limited. */
export interface BudgetLimit {
  /** Units, counting the first attempt. */
  readonly limit: number
  /** The tool is safe to repeat by key or reconcile, so more than one unit is spent only after Transient failures. */
  readonly onlyAfterTransient: boolean
}

/**
 * One unit was taken, or none is left. `last` is the last settled outcome of this key in this turn, where it is held;
 * `isAnswered` says that a result was given, held or not.
 */
export type Spending =
  | { readonly _tag: "Spent"; readonly remaining: number }
  | { readonly _tag: "Exhausted"; readonly last: Outcome | undefined; readonly isAnswered: boolean }

export class Budgets extends Context.Service<
  Budgets,
  {
    readonly spend: (turn: Turn, key: string, limit: BudgetLimit) => Effect.Effect<Spending, BudgetsUnavailable>
    /** True where a success was the same as the one before. */
    readonly settle: (
      turn: Turn,
      key: string,
      outcome: Outcome,
      digest: string,
      isLast: boolean
    ) => Effect.Effect<boolean, BudgetsUnavailable>
    /** Gives a unit back that was taken and not used. */
    readonly refund: (turn: Turn, key: string) => Effect.Effect<void, BudgetsUnavailable>
    readonly progress: (turn: Turn, key: string) => Effect.Effect<void, BudgetsUnavailable>
    readonly end: (turn: Turn) => Effect.Effect<void, BudgetsUnavailable>
  }
>()("effect-toolguard/Budgets") {}
