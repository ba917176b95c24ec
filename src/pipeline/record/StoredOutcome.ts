/** Outcomes on their way into a store that outlives the process, and back. */
import type { Outcome } from "#domain/call/Outcome"
import * as OutcomeText from "#domain/call/OutcomeText"
import type { Call } from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import { revived } from "./Revive.ts"

/** What is asked of a call: its tool, and how it is named in a failure. */
type Of = Pick<Call, "tool" | "name" | "traceId">

/** Writes an outcome by its tool's schema. A result that cannot be written is kept as done, without its answer. */
export const write = (call: Of, outcome: Outcome): string => {
  try {
    return OutcomeText.write(outcome, call.tool.result.encode)
  } catch (cause) {
    return OutcomeText.write(unreadable(call, "Its answer could not be written.", cause), (value) => value)
  }
}

/** Reads an outcome by the call's tool. What cannot be read any more was done all the same. */
export const read = (call: Of, text: string): Outcome => {
  const outcome = OutcomeText.read(text)
  if (outcome === undefined) return unreadable(call, "What was kept of it is damaged.", text.slice(0, 200))
  return revived(call.tool, outcome) ?? unreadable(call, "The tool's contract has changed since.", undefined)
}

const unreadable = (call: Of, why: string, cause: unknown): Outcome =>
  refuse(call, "done_unreadable", {
    detail: `The action was done. ${why}`,
    sideEffect: call.tool.definition.access === "read" ? "none" : "committed",
    cause
  })
