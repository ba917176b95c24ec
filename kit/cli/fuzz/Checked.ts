/** What came of the check of one tool, for people and as JSON. */
import { type FuzzFailure, type FuzzReport, Unfuzzable } from "#kit/fuzz/CheckTool"
import * as Effect from "effect/Effect"

export type Checked =
  | { readonly _tag: "Kept"; readonly tool: string; readonly report: FuzzReport }
  | { readonly _tag: "Broken"; readonly tool: string; readonly failure: FuzzFailure }
  | { readonly _tag: "Unfuzzable"; readonly tool: string; readonly detail: string; readonly remedy: string }

/** The end of a check as a value. */
export const of = (tool: string, check: Effect.Effect<FuzzReport, FuzzFailure | Unfuzzable>): Effect.Effect<Checked> =>
  Effect.match(check, {
    onSuccess: (report): Checked => ({ _tag: "Kept", tool, report }),
    onFailure: (error): Checked =>
      error instanceof Unfuzzable
        ? { _tag: "Unfuzzable", tool, detail: error.detail, remedy: error.remedy }
        : { _tag: "Broken", tool, failure: error }
  })

/** The same run gives the same object: no times stand in it. */
export const json = (checked: Checked): object => {
  switch (checked._tag) {
    case "Kept": {
      const { boundaries, calls, cases, executions } = checked.report
      return { tool: checked.tool, kept: true, cases, calls, executions, boundaries }
    }
    case "Broken": {
      const { case: fuzzCase, detail, promise, replay, test } = checked.failure
      return { tool: checked.tool, kept: false, promise, detail, replay, case: fuzzCase, test }
    }
    case "Unfuzzable":
      return { tool: checked.tool, kept: null, detail: checked.detail, remedy: checked.remedy }
  }
}
