/**
 * Withdraws the pending requests of a run that ended, so that no person decides a request for which no run is waiting
 * [10.5].
 *
 * **Details**
 *
 * - A run that was interrupted asks again when it is resumed.
 * - If the model ended the turn of a conversation that the host named, the requests are kept: an identical call of a
 *   later turn joins them, or consumes their approval [10.4].
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AgentEnd } from "./AgentEnd.ts"

interface WithdrawalOptions {
  /** Withdraws the requests of the turn. */
  readonly withdraw: Effect.Effect<void>
  /** True if the host named the conversation, which may therefore have further turns. */
  readonly isNamed: boolean
  /** True if the run can still receive a decision after this end, because it is resumed from there. */
  readonly isOpen?: (end: AgentEnd) => boolean
}

/** Runs the loop, and withdraws its pending requests when it ends or is interrupted. */
export const withdrawing =
  ({ isNamed, isOpen = () => false, withdraw }: WithdrawalOptions) =>
  <E, R>(run: Effect.Effect<AgentEnd, E, R>): Effect.Effect<AgentEnd, E, R> =>
    Effect.onExit(run, (exit) =>
      Exit.isSuccess(exit) && ((isNamed && isTurnEnd(exit.value)) || isOpen(exit.value)) ? Effect.void : withdraw
    )

/** True if the model itself ended the turn. */
const isTurnEnd = ({ _tag }: AgentEnd): boolean => _tag === "Answered" || _tag === "Refused"
