/**
 * Counts attempts without progress, per turn and call key [4.7].
 *
 * **Details**
 *
 * - `spend` checks the limit and takes one unit, in one atomic step.
 * - Units of Transient failures become available again at the time that `settle` receives. Each process passes and
 *   receives times of its own clock; a shared layer converts them, so that processes whose clocks differ agree.
 * - `settle` records how the attempt ended. A result whose digest differs from the previous one resets the count.
 * - `progress` resets the other counts of the turn, because a call changed something and results may differ. It keeps the
 *   counts of running attempts and of writes whose effect is unknown.
 * - `end` deletes the counts of a turn.
 *
 * Contract: `test/contracts/Budgets.ts`.
 */
import type { Settlement, Spender, Spending } from "#domain/turn/Account"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of budgets does not respond. Writes are then refused, and reads run without being counted. */
export class BudgetsUnavailable extends Schema.TaggedError<BudgetsUnavailable>("effect-toolguard/BudgetsUnavailable")(
  "BudgetsUnavailable",
  { cause: Schema.Defect() }
) {}

/** The limit of a key's budget. */
export interface BudgetLimit {
  /** The number of units, including the first attempt. */
  readonly limit: number
  /**
   * True for a write that a key or `reconcile` makes safe to repeat. Another unit is then spent only after Transient
   * failures.
   */
  readonly onlyAfterTransient: boolean
  /** True if the write may be repeated after a success; then only failures spend units. Default false. */
  readonly countsFailures?: boolean
}

export type { Spending } from "#domain/turn/Account"

export class Budgets extends Context.Service<
  Budgets,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /** Takes one unit, if one is left. */
    readonly spend: (
      turn: Turn,
      key: string,
      limit: BudgetLimit,
      spender: Spender
    ) => Effect.Effect<Spending, BudgetsUnavailable>
    /** Records how an attempt ended. Returns true if its result equals the previous result. */
    readonly settle: (turn: Turn, key: string, settlement: Settlement) => Effect.Effect<boolean, BudgetsUnavailable>
    /** Returns a unit that was taken and not used. `isRepeat` has the same meaning as in `spend`; default false. */
    readonly refund: (turn: Turn, key: string, isRepeat?: boolean) => Effect.Effect<void, BudgetsUnavailable>
    /** Resets the other keys of the turn, except those with a running attempt or an unknown effect. */
    readonly progress: (turn: Turn, key: string) => Effect.Effect<void, BudgetsUnavailable>
    /** Deletes the counts of the turn. */
    readonly end: (turn: Turn) => Effect.Effect<void, BudgetsUnavailable>
  }
>()("effect-toolguard/Budgets") {}
