/** Turns and outcomes for the contract suites. */
import * as Failure from "#domain/failure/Failure"
import { failed, type Outcome, success } from "#domain/call/Outcome"
import type { Turn } from "#domain/turn/Turn"

export const turn: Turn = { tenant: "tenant", conversation: "conversation", turn: "turn" }

const fields = (over: object) => ({
  tool: "tool",
  code: "code",
  detail: "It did not go well.",
  hint: "Do something else.",
  sideEffect: "none" as const,
  traceId: "trace",
  ...over
})

/** A success as the stages pass it to a store: with its JSON text. */
export const done = (value: unknown): Outcome => ({ ...success(value), json: JSON.stringify(value) })

/** An outcome as its tool reads it back: stores may keep it as text. */
export const readBack = (outcome: Outcome | undefined): Outcome | undefined => {
  if (outcome?.isEncoded !== true) return outcome
  const { isEncoded: _, ...rest } = outcome
  return rest
}
export const transient = (over: object = {}): Outcome => failed(new Failure.Transient(fields(over)))
export const permanent = (over: object = {}): Outcome => failed(new Failure.Permanent(fields(over)))
export const resource = (over: object = {}): Outcome => failed(new Failure.Resource(fields(over)))
export const human = (over: object = {}): Outcome => failed(new Failure.HumanReview(fields(over)))
export const mismatch = (over: object = {}): Outcome => failed(new Failure.SchemaMismatch(fields(over)))
