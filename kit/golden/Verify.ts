/** Decides what becomes of a run and its golden file: they agree, the file is written, or somebody must look. */
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Result from "effect/Result"
import { type Compared, compare, first } from "./Compare.ts"
import * as GoldenFile from "./GoldenFile.ts"
import type { Round } from "./Sequence.ts"

/** What a run is verified with. */
export interface VerifyOptions {
  /** What the scenario is called in a new file. */
  readonly scenario: string
  /** Nobody is there to look at what is recorded: a file that is missing is a fault. */
  readonly isCi: boolean
  /** Differences are written to the file. */
  readonly isUpdate: boolean
  /** Paths that a new file leaves out. */
  readonly ignore?: ReadonlyArray<string>
  /** Tools whose parameters mark fields as volatile. */
  readonly tools?: ReadonlyMap<string, AnyTool> | undefined
}

export type Verified =
  | { readonly _tag: "Same" }
  /** There was no file: this is its text. */
  | { readonly _tag: "Recorded"; readonly text: string; readonly calls: number }
  /** The file as it is from now on. */
  | { readonly _tag: "Updated"; readonly text: string; readonly compared: Compared }
  | { readonly _tag: "Differs"; readonly compared: Compared }
  /** There is no file, and none may be written. */
  | { readonly _tag: "Missing" }
  /** The file cannot be read: why, and where. */
  | { readonly _tag: "Unreadable"; readonly detail: string }

/** `text`: the golden file; undefined where there is none. */
export const verify = (text: string | undefined, rounds: ReadonlyArray<Round>, options: VerifyOptions): Verified => {
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
  if (compared.differences.length === 0) return { _tag: "Same" }
  return isUpdate
    ? { _tag: "Updated", text: GoldenFile.write(compared.updated), compared }
    : { _tag: "Differs", compared }
}
