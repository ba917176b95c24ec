/** How a call of a case ended, for whoever made it. */
import { type Failure, isFailure } from "effect-toolguard/internal/domain/failure/Failure"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type { PlayedCall } from "./Played.ts"

export type Ending =
  | { readonly _tag: "Success"; readonly value: unknown; readonly usedFallback?: string | undefined }
  | {
      readonly _tag: "Failure"
      readonly failure: Failure
      readonly usedFallback?: string | undefined
      /** Alternatives that were tried in vain. */
      readonly tried?: ReadonlyArray<string> | undefined
    }
  /** Something else came out of it than a result or one of the eight failures. */
  | { readonly _tag: "Escaped"; readonly how: string }

/** The end of a call; undefined where it has none. */
export const of = ({ answer, exit }: PlayedCall): Ending | undefined => {
  if (answer !== undefined) {
    const { outcome } = answer
    return outcome._tag === "Success"
      ? { _tag: "Success", value: outcome.value, usedFallback: outcome.usedFallback }
      : ofFailure(outcome.failure, outcome)
  }
  if (exit === undefined) return undefined
  if (Exit.isSuccess(exit)) return { _tag: "Success", value: exit.value }
  if (Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause)) {
    return { _tag: "Escaped", how: Cause.hasDies(exit.cause) ? `a defect: ${lineOf(exit.cause)}` : "an interruption" }
  }
  return ofFailure(Cause.squash(exit.cause), {})
}

const ofFailure = (
  failure: unknown,
  { tried, usedFallback }: { readonly tried?: ReadonlyArray<string>; readonly usedFallback?: string }
): Ending =>
  isFailure(failure)
    ? { _tag: "Failure", failure, usedFallback, tried }
    : { _tag: "Escaped", how: "a failure that is none of the eight" }

const lineOf = (cause: Cause.Cause<unknown>): string => {
  try {
    return String(Cause.squash(cause)).split("\n")[0]?.slice(0, 200) ?? ""
  } catch {
    return "one that cannot be written"
  }
}

/** In a few words: `Transient timeout`. */
export const inWords = (ending: Ending): string => {
  switch (ending._tag) {
    case "Success":
      return "a success"
    case "Escaped":
      return ending.how
    case "Failure":
      return `${ending.failure._tag} ${ending.failure.code} (side effect: ${ending.failure.sideEffect})`
  }
}
