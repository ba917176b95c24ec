/**
 * Connects a question of a durable run with the decision on it.
 *
 * **Details**
 *
 * - `DurableAgent` sets it around every call and question of a run. `EscalationDurable` answers from `decided`, or
 *   registers the question with `open` and answers `Pending`: the run is then suspended until the decision.
 * - The token identifies the wait and authorizes the decision. It goes to the program that asks people, never to the
 *   model.
 */
import type { DurableDecision } from "#domain/approval/DurableDecision"
import * as Context from "effect/Context"

/** Identifies a durable run. */
export interface DurableRun {
  readonly agent: string
  readonly tenant: string
  readonly run: string
}

/** The wait of one call or question. */
export interface DurableWait extends DurableRun {
  /** Completes the wait, by `DurableAgent.decide`. */
  readonly token: string
  /** Returns the decision on the question with this binding, if there is one. */
  readonly decided: (binding: string) => DurableDecision | undefined
  /** Registers that the question waits for its decision. */
  readonly open: (binding: string) => void
}

/** The wait of the running call or question, or `undefined` outside durable runs. */
export const CurrentDurableWait = Context.Reference<DurableWait | undefined>("effect-toolguard/CurrentDurableWait", {
  defaultValue: () => undefined
})
