/** Decides whether a run matches the text of its golden file, and whether the file must be written. */
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Result from "effect/Result"
import { type ComparisonResult, compare, first } from "./Comparison.ts"
import * as GoldenFile from "./GoldenFile.ts"
import type { Round } from "./Sequence.ts"

/** The options of a verification. */
interface VerifyOptions {
  /** The name of the scenario in a new file. */
  readonly scenario: string
  /** True in CI, where a missing file is a failure unless `isUpdate` is set. */
  readonly isCi: boolean
  /** True if differences are to be written to the file. */
  readonly isUpdate: boolean
  /** Paths that a new file ignores. */
  readonly ignore?: ReadonlyArray<string>
  /** Tools whose parameters mark fields as volatile. */
  readonly tools?: ReadonlyMap<string, AnyTool> | undefined
}

/** The result of a verification. */
export type VerificationResult =
  | { readonly _tag: "Same" }
  /** There was no file. `text` is the content of the new file. */
  | { readonly _tag: "Recorded"; readonly text: string; readonly calls: number }
  /** `text` is the content of the updated file. If there are no differences, the update only adds errors of calls. */
  | { readonly _tag: "Updated"; readonly text: string; readonly compared: ComparisonResult }
  | { readonly _tag: "Differs"; readonly compared: ComparisonResult }
  /** There is no file, and it must not be written. */
  | { readonly _tag: "Missing" }
  /** The file is invalid. `detail` says what is wrong, and where. */
  | { readonly _tag: "Unreadable"; readonly detail: string }

/** Verifies a run. `text` is the content of the golden file, or `undefined` if the file does not exist. */
export const verify = (
  text: string | undefined,
  rounds: ReadonlyArray<Round>,
  options: VerifyOptions
): VerificationResult => {
  const { ignore = [], isCi, isUpdate, scenario, tools } = options
  if (text === undefined) {
    if (isCi && !isUpdate) return { _tag: "Missing" }
    const golden = first(scenario, rounds, ignore, tools)
    const calls = golden.rounds.reduce((count, round) => count + round.length, 0)
    return { _tag: "Recorded", text: GoldenFile.write(golden), calls }
  }
  const read = GoldenFile.read(text)
  if (Result.isFailure(read)) return { _tag: "Unreadable", detail: read.failure }
  const compared = compare(read.success, rounds, tools)
  const isChanged = isUpdate && compared.updated !== read.success
  if (compared.differences.length === 0 && !isChanged) return { _tag: "Same" }
  return isUpdate
    ? { _tag: "Updated", text: GoldenFile.write(compared.updated), compared }
    : { _tag: "Differs", compared }
}
