/**
 * What a stage returns: a value or one of the eight failures, with notes on what the guard did.
 *
 * An outcome is a plain value, so that no stage throws and the pipeline has one return type.
 */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import type { LoopVerdict } from "#domain/loop/LoopDetector"
import type { PlainPart } from "#domain/parts/Part"

/** The tool answered according to its contract. */
export interface Success {
  readonly _tag: "Success"
  /** The decoded result (`success`'s Type). */
  readonly value: unknown
  /** Pictures, files and texts beside the result; absent if there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** Length of the text that the value was read from, in bytes; absent if the handler returned a value. */
  readonly bytes?: number
  /** `value` is encoded JSON from a store. The tool's schema decodes it before it is used. */
  readonly isEncoded?: true
  /** The encoded value as JSON text, once a stage has written it. */
  readonly json?: string
  /** Equal for equal results without volatile fields. Present once a stage has compared the result. */
  readonly digest?: string
  /** Name of the alternative that answered. */
  readonly usedFallback?: string
  /** The stored result of an earlier call with the same idempotency key. */
  readonly idempotent?: true
  /** The identical call returned the same result before. The call was not made again, or made no progress. */
  readonly unchanged?: true
  /** The verdict of the loop detector; absent without a loop. */
  readonly loop?: LoopVerdict
}

/** One of the eight failures. */
export interface Failed {
  readonly _tag: "Failure"
  readonly failure: Failure
  /** The parts beside the data of a PartialData; absent if there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** The data of a PartialData is encoded JSON from a store. */
  readonly isEncoded?: true
  /** Length of the text that a PartialData was read from, in bytes; absent if the handler returned a value. */
  readonly bytes?: number
  /** Equal for equal data of a PartialData without volatile fields. Present once a stage has compared it. */
  readonly digest?: string
  /** Names of the alternatives that failed too. */
  readonly tried?: ReadonlyArray<string>
  /** The failure is recalled: the identical call failed before in this turn. */
  readonly recalled?: true
  /** Remaining attempts for this call in this turn. Absent if they are not counted. */
  readonly remaining?: number
  /** No further attempt is made in this call, for example because of a quota or an open circuit. */
  readonly isFinal?: boolean
  /** Nothing was attempted: the unit of the budget is returned. */
  readonly isRefund?: boolean
  /** The escalation level after this failure; absent for `auto`. */
  readonly level?: Level
  /** The verdict of the loop detector; absent without a loop. */
  readonly loop?: LoopVerdict
  readonly usedFallback?: string
}

/** The outcome of a call. */
export type Outcome = Success | Failed

/** A success, with the parts beside its value. */
export const success = (value: unknown, parts?: ReadonlyArray<PlainPart>): Success =>
  parts === undefined ? { _tag: "Success", value } : { _tag: "Success", value, parts }

/** A failure without notes. */
export const failed = (failure: Failure): Failed => ({ _tag: "Failure", failure })
