/** Turns and outcomes for the contract suites. */
import * as Failure from "#domain/failure/Failure"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import type { Turn } from "#domain/turn/Turn"

export const turn: Turn = { tenant: "tenant", conversation: "conversation", turn: "turn" }

const fields = (overrides: object) => ({
  tool: "tool",
  code: "code",
  detail: "The call failed.",
  hint: "Try another tool.",
  sideEffect: "none" as const,
  traceId: "trace",
  ...overrides
})

/** Creates a success with its JSON text, as the stages pass it to a store. */
export const done = (value: unknown): Outcome => ({ ...success(value), json: JSON.stringify(value) })

/** Returns an outcome without `isEncoded`, which stores that keep outcomes as text set. */
export const readBack = (outcome: Outcome | undefined): Outcome | undefined => {
  if (outcome?.isEncoded !== true) return outcome
  const { isEncoded: _, ...rest } = outcome
  return rest
}
export const transient = (overrides: object = {}): Outcome => failed(new Failure.Transient(fields(overrides)))
export const permanent = (overrides: object = {}): Outcome => failed(new Failure.Permanent(fields(overrides)))
export const resource = (overrides: object = {}): Outcome => failed(new Failure.Resource(fields(overrides)))
export const human = (overrides: object = {}): Outcome => failed(new Failure.HumanReview(fields(overrides)))
export const mismatch = (overrides: object = {}): Outcome => failed(new Failure.SchemaMismatch(fields(overrides)))
