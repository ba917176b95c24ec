/**
 * What a stage answers: a value or one of the eight failures, with what the guard did on the way.
 *
 * An outcome is a plain value, so that no stage throws and the pipeline has one return type.
 */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import type { LoopVerdict } from "#domain/loop/LoopDetector"
import type { PlainPart } from "#domain/parts/Part"

/** The tool answered, and the answer keeps its contract. */
export interface Success {
  readonly _tag: "Success"
  /** The decoded result (`success`'s Type). */
  readonly value: unknown
  /** Pictures, files and texts beside the result; absent where there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** Length of the text that it was read from, in bytes; absent where the handler returned a value. */
  readonly bytes?: number
  /** `value` is the encoded JSON, as a store keeps it: it is decoded by its tool before anybody sees it. */
  readonly isEncoded?: true
  /** The encoded value as JSON text, once a stage has written it. */
  readonly json?: string
  /** Equal for equal results, volatile fields left out; once a stage has compared it. */
  readonly digest?: string
  /** Name of the alternative that answered. */
  readonly usedFallback?: string
  /** The stored result of an earlier call with the same idempotency key. */
  readonly idempotent?: true
  /** The same call gave the same result before; it was not made again, or made no progress. */
  readonly unchanged?: true
  /** What the loop detector says; absent where it sees none. */
  readonly loop?: LoopVerdict
}

/** One of the eight failures. */
export interface Failed {
  readonly _tag: "Failure"
  readonly failure: Failure
  /** Of a PartialData: what stands beside its data; absent where nothing does. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** The data of a PartialData is the encoded JSON, as a store keeps it. */
  readonly isEncoded?: true
  /** Length of the text that a PartialData was read from, in bytes; absent where the handler returned a value. */
  readonly bytes?: number
  /** Of a PartialData: equal for equal data, volatile fields left out; once a stage has compared it. */
  readonly digest?: string
  /** Names of the alternatives that were tried in vain. */
  readonly tried?: ReadonlyArray<string>
  /** Answered from memory: the identical call failed before in this turn. */
  readonly recalled?: true
  /** How many more attempts of this call the guard would still make in this turn. Absent where nothing counts them. */
  readonly remaining?: number
  /** No further attempt is worth its wait: a quota or an open circuit stands in the way. */
  readonly isFinal?: boolean
  /** Nothing was attempted: the unit of the budget is given back. */
  readonly isRefund?: boolean
  /** What the escalation policy asks for after this failure; absent for `auto`. */
  readonly level?: Level
  /** What the loop detector says; absent where it sees none. */
  readonly loop?: LoopVerdict
  readonly usedFallback?: string
}

export type Outcome = Success | Failed

/** `parts`: what stands beside the value, if anything does. */
export const success = (value: unknown, parts?: ReadonlyArray<PlainPart>): Success =>
  parts === undefined ? { _tag: "Success", value } : { _tag: "Success", value, parts }
export const failed = (failure: Failure): Failed => ({ _tag: "Failure", failure })
