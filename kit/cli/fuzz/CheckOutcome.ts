/** Describes the outcome of checking one tool, as a value and as JSON. */
import { type FuzzFailure, type FuzzReport, Unfuzzable } from "#kit/fuzz/CheckTool"
import * as Effect from "effect/Effect"

/** Whether a tool kept its promises, broke a promise, or could not be checked. */
export type CheckOutcome =
  | { readonly _tag: "Kept"; readonly tool: string; readonly report: FuzzReport }
  | { readonly _tag: "Broken"; readonly tool: string; readonly failure: FuzzFailure }
  | { readonly _tag: "Unfuzzable"; readonly tool: string; readonly detail: string; readonly remedy: string }

/** Runs a check and returns its outcome. */
export const of = (
  tool: string,
  check: Effect.Effect<FuzzReport, FuzzFailure | Unfuzzable>
): Effect.Effect<CheckOutcome> =>
  Effect.match(check, {
    onSuccess: (report): CheckOutcome => ({ _tag: "Kept", tool, report }),
    onFailure: (error): CheckOutcome =>
      error instanceof Unfuzzable
        ? { _tag: "Unfuzzable", tool, detail: error.detail, remedy: error.remedy }
        : { _tag: "Broken", tool, failure: error }
  })

/** Returns the outcome as JSON, without times, so that equal runs return equal objects. */
export const json = (outcome: CheckOutcome): object => {
  switch (outcome._tag) {
    case "Kept": {
      const { boundaries, calls, cases, executions } = outcome.report
      return { tool: outcome.tool, kept: true, cases, calls, executions, boundaries }
    }
    case "Broken": {
      const { case: fuzzCase, detail, promise, replay, test } = outcome.failure
      return { tool: outcome.tool, kept: false, promise, detail, replay, case: fuzzCase, test }
    }
    case "Unfuzzable":
      return { tool: outcome.tool, kept: null, detail: outcome.detail, remedy: outcome.remedy }
  }
}
