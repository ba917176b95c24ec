/**
 * The value that a stage returns: a result or one of the eight failures, with notes on what the guard did.
 *
 * Failures are values too, so that every stage has the same return type and no stage needs to throw.
 */
import type { Level } from "#domain/tool/EscalationPolicy"
import type { Failure } from "#domain/failure/Failure"
import type { LoopVerdict } from "#domain/loop/LoopDetector"
import type { PlainPart } from "#domain/parts/Part"

/** The tool answered according to its contract. */
export interface Success {
  readonly _tag: "Success"
  /** The decoded result (`success`'s Type), or JSON of any shape if `isRaw`. */
  readonly value: unknown
  /**
   * True if the answer violated `success` and the tool's `enforce` is `advise`: `value` is the answer as JSON, as the
   * tool gave it. Only a model gets such a success.
   */
  readonly isRaw?: true
  /** The images, files and texts that accompany the result; absent if there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** The length in bytes of the text from which the value was parsed; absent if the handler returned a value. */
  readonly bytes?: number
  /** True if `value` is encoded JSON from a store. The tool's schema decodes it before use. */
  readonly isEncoded?: true
  /** The encoded value as JSON text, once a stage has written it. */
  readonly json?: string
  /** The digest of the result without its volatile fields. Present once a stage has compared the result. */
  readonly digest?: string
  /** The name of the fallback that answered. */
  readonly usedFallback?: string
  /** True if the upstream has accepted a write (HTTP 202) and may do it later: its side effect is unknown. */
  readonly isAccepted?: true
  /** A sentence about the failure that the result of a write states: its side effect is unknown [3.3]. */
  readonly statedFailure?: string
  /** True if the value is the stored result of an earlier call with the same idempotency key. */
  readonly idempotent?: true
  /**
   * True if the identical call returned the same result before. Either the tool did not run again, or nothing changed.
   */
  readonly unchanged?: true
  /**
   * A sentence for the model if an identical write had succeeded in this turn and was not made again [4.6]. The value
   * is then the first result.
   */
  readonly notExecuted?: string
  /**
   * The milliseconds after which the status of unfinished work may be read again [7.2]; absent for any other result.
   */
  readonly readAgainMillis?: number
  /** The verdict of the loop detector; absent without a loop. */
  readonly loop?: LoopVerdict
}

/** One of the eight failures. */
export interface FailedOutcome {
  readonly _tag: "Failure"
  readonly failure: Failure
  /** The parts that accompany the data of a PartialData; absent if there are none. */
  readonly parts?: ReadonlyArray<PlainPart>
  /** True if the data of a PartialData is encoded JSON from a store. */
  readonly isEncoded?: true
  /** The length in bytes of the text from which a PartialData was parsed; absent if the handler returned a value. */
  readonly bytes?: number
  /** The digest of the data of a PartialData without volatile fields. Present once a stage has compared the data. */
  readonly digest?: string
  /** The names of the fallbacks that also failed. */
  readonly tried?: ReadonlyArray<string>
  /** True if the failure is recalled, because the identical call failed before in this turn. */
  readonly recalled?: true
  /** The number of attempts that remain for this call in this turn. Absent if they are not counted. */
  readonly remaining?: number
  /**
   * The milliseconds after which a model may make the call again; set for the Transient failures of a model's calls.
   */
  readonly retryAfterMillis?: number
  /** When the call may be made, in epoch milliseconds; present if it was not made because it came earlier. */
  readonly readyAt?: number
  /**
   * True if the upstream answered with this failure. Without an answer, an unknown side effect of a write ends the
   * run [3.3].
   */
  readonly isAnswered?: true
  /** True if a lookup found that neither this attempt nor an earlier attempt did anything [3.3]. */
  readonly isAbsent?: true
  /** The failure that became `outcome_unknown`, because its side effect is unknown; absent otherwise. */
  readonly original?: Failure
  /**
   * True if the effect of an action is unknown, its upstream honours the key, and the guard could not make all
   * attempts. An identical call may repeat the action under its key.
   */
  readonly isOpen?: true
  /** True if the call gets no further attempt, for example because of a quota or an open circuit. */
  readonly isFinal?: boolean
  /**
   * True if no attempt was made, or if the tool declares the failure as a refusal: the budget gets back the unit it
   * reserved, and the circuit ignores the outcome.
   */
  readonly isRefund?: boolean
  /** The escalation level after this failure; absent for `auto`. */
  readonly level?: Level
  /** The verdict of the loop detector; absent without a loop. */
  readonly loop?: LoopVerdict
  readonly usedFallback?: string
}

/** The outcome of a call. */
export type Outcome = Success | FailedOutcome

/** True if the result of a write proves that it was done: it was not merely accepted, and states no failure [3.3]. */
export const isProven = ({ isAccepted, statedFailure }: Success): boolean =>
  isAccepted !== true && statedFailure === undefined

/** Creates a success from a value and the parts that accompany it. */
export const success = (value: unknown, parts?: ReadonlyArray<PlainPart>): Success =>
  parts === undefined ? { _tag: "Success", value } : { _tag: "Success", value, parts }

/** Creates the outcome of a failure, without notes. */
export const failed = (failure: Failure): FailedOutcome => ({ _tag: "Failure", failure })
