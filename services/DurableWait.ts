/**
 * Connects a question of a durable run with the decision on it.
 *
 * **Details**
 *
 * - `DurableAgent` sets the wait around every call and question of a run. `EscalationDurable` answers from `decided`,
 *   or registers the question with `open` and answers `Pending`. The run is then suspended until the decision.
 * - The token identifies the wait and authorises the decision. It goes to the program that asks people, and never to
 *   the model.
 */
import type { DurableDecision } from "#domain/approval/DurableDecision"
import * as Context from "effect/Context"

/** Identifies a durable run. */
export interface DurableRun {
  readonly agent: string
  readonly tenant: string
  /** The principal on whose behalf the run acts; absent if the run has no principal. */
  readonly principal?: string
  readonly run: string
}

/** The wait of one call or question. */
export interface DurableWait extends DurableRun {
  /** The token with which `DurableAgent.decide` completes the wait. */
  readonly token: string
  /** Returns the decision on the question with this binding, if there is one. */
  readonly decided: (binding: string) => DurableDecision | undefined
  /** Registers that the question with this binding waits for its decision. */
  readonly open: (binding: string) => void
}

/** The wait of the running call or question, or `undefined` outside durable runs. */
export const CurrentDurableWait = Context.Reference<DurableWait | undefined>("effect-toolguard/CurrentDurableWait", {
  defaultValue: () => undefined
})
