/**
 * How a question to a person is asked from a durable run: what was decided of it, and where its decision is to go.
 *
 * **Details**
 *
 * - `DurableAgent` sets it around every call and question of a run. A way to people that knows it (`EscalationDurable`)
 *   answers from `decided`, or notes the question with `open` and answers `Pending`: the run then waits for the decision.
 * - The token names the wait and grants the decision. It goes to the program that asks people, never to the model.
 */
import type { DurableDecision } from "#domain/approval/DurableDecision"
import * as Context from "effect/Context"

/** Which run. */
export interface DurableRun {
  readonly agent: string
  readonly tenant: string
  readonly run: string
}

export interface DurableWait extends DurableRun {
  /** Completes the wait: `DurableAgent.decide`. */
  readonly token: string
  /** What was decided of a question, by its binding. */
  readonly decided: (binding: string) => DurableDecision | undefined
  /** Notes that the question waits for its decision. */
  readonly open: (binding: string) => void
}

/** The wait of the running call or question, or `undefined` outside of durable runs. */
export const CurrentDurableWait = Context.Reference<DurableWait | undefined>("effect-toolguard/CurrentDurableWait", {
  defaultValue: () => undefined
})
