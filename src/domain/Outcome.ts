/**
 * What a stage answers: a value or one of the eight failures, with what the guard did on the way.
 *
 * An outcome is a plain value, so that no stage throws and the pipeline has one return type.
 */
import type { Failure } from "./Failure.ts"

/** The tool answered, and the answer keeps its contract. */
export interface Success {
  readonly _tag: "Success"
  /** The decoded result (`success`'s Type). */
  readonly value: unknown
  /** Name of the alternative that answered. */
  readonly usedFallback?: string
  /** The stored result of an earlier call with the same idempotency key. */
  readonly idempotent?: true
  /** The same call gave the same result before; it was not made again, or made no progress. */
  readonly unchanged?: true
}

/** One of the eight failures. */
export interface Failed {
  readonly _tag: "Failure"
  readonly failure: Failure
  /** Names of the alternatives that were tried in vain. */
  readonly tried?: ReadonlyArray<string>
  /** Answered from memory: the identical call failed before in this turn. */
  readonly recalled?: true
  /** How many more attempts of this call the guard would still make in this turn. Absent where nothing counts them. */
  readonly remaining?: number
}

export type Outcome = Success | Failed

export const success = (value: unknown): Success => ({ _tag: "Success", value })
export const failed = (failure: Failure): Failed => ({ _tag: "Failure", failure })
