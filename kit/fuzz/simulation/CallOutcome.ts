/** Determines the outcome of a call as its caller observes it. */
import { type Failure, isFailure } from "effect-toolguard/internal/domain/failure/Failure"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type { ObservedCall } from "./Observation.ts"

/** A success, one of the eight failures, or anything else (`Untyped`). */
export type CallOutcome =
  | {
      readonly _tag: "Success"
      readonly value: unknown
      readonly usedFallback?: string | undefined
      /** True if the tool only advises, and the value violates its contract. */
      readonly isRaw?: boolean
    }
  | {
      readonly _tag: "Failure"
      readonly failure: Failure
      readonly usedFallback?: string | undefined
      /** The fallbacks that were tried and failed as well. */
      readonly tried?: ReadonlyArray<string> | undefined
    }
  /** The call ended with neither a result nor one of the eight failures. */
  | { readonly _tag: "Untyped"; readonly description: string }

/** Returns the outcome of a call, or `undefined` if it has not ended. */
export const of = ({ answer, exit }: ObservedCall): CallOutcome | undefined => {
  if (answer !== undefined) {
    const { outcome } = answer
    return outcome._tag === "Success"
      ? {
          _tag: "Success",
          value: outcome.value,
          usedFallback: outcome.usedFallback,
          isRaw: outcome.isRaw === true
        }
      : ofFailure(outcome.failure, outcome)
  }
  if (exit === undefined) return undefined
  if (Exit.isSuccess(exit)) return { _tag: "Success", value: exit.value }
  if (Cause.hasDies(exit.cause) || Cause.hasInterrupts(exit.cause)) {
    return {
      _tag: "Untyped",
      description: Cause.hasDies(exit.cause) ? `a defect: ${lineOf(exit.cause)}` : "an interruption"
    }
  }
  return ofFailure(Cause.squash(exit.cause), {})
}

const ofFailure = (
  failure: unknown,
  { tried, usedFallback }: { readonly tried?: ReadonlyArray<string>; readonly usedFallback?: string }
): CallOutcome =>
  isFailure(failure)
    ? { _tag: "Failure", failure, usedFallback, tried }
    : { _tag: "Untyped", description: "a failure that is not one of the eight" }

const lineOf = (cause: Cause.Cause<unknown>): string => {
  try {
    return String(Cause.squash(cause)).split("\n")[0]?.slice(0, 200) ?? ""
  } catch {
    return "an error that cannot be converted to text"
  }
}

/** Describes an outcome in a few words: `Transient timeout (side effect: none)`. */
export const describe = (outcome: CallOutcome): string => {
  switch (outcome._tag) {
    case "Success":
      return "a success"
    case "Untyped":
      return outcome.description
    case "Failure":
      return `${outcome.failure._tag} ${outcome.failure.code} (side effect: ${outcome.failure.sideEffect})`
  }
}
