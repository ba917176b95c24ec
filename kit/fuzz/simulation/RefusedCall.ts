/** Reads the refusals that a tool declares, independently of the pipeline under test [3.5]. */
import { type Failure, isFailure, make } from "effect-toolguard/internal/domain/failure/Failure"
import type { DeclaredRefusal } from "effect-toolguard/internal/domain/tool/DeclaredRefusal"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** Returns the declared refusal that an exit failed with; undefined for any other exit. */
export const declaredIn = (
  refusals: ReadonlyArray<DeclaredRefusal>,
  exit: Exit.Exit<unknown, unknown>
): DeclaredRefusal | undefined => {
  if (refusals.length === 0 || Exit.isSuccess(exit) || exit.cause.reasons.length !== 1) return undefined
  const error = Cause.squash(exit.cause)
  return refusals.find(({ is }) => is(error))
}

/**
 * Replaces the error of a declared refusal in the exit of a typed call with the failure that a model reads, if the
 * error can be serialised. Returns any other exit unchanged.
 */
export const failureOf = (
  refusals: ReadonlyArray<DeclaredRefusal>,
  exit: Exit.Exit<unknown, unknown>
): Exit.Exit<unknown, unknown> => {
  const refusal = declaredIn(refusals, exit)
  if (refusal === undefined || Exit.isSuccess(exit)) return exit
  const error = Cause.squash(exit.cause)
  const json = isFailure(error) ? undefined : Result.getOrUndefined(refusal.encode(error))
  if (json === undefined || Result.isFailure(refusal.decode(JSON.parse(JSON.stringify(json))))) return exit
  const failure: Failure = make(refusal.failureClass, refusal.code, { tool: "", detail: "", refusal: json })
  return Exit.fail(failure)
}
