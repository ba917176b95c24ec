/**
 * A completed call in the journal of a run: the text that the model read, the data for its record, and its contribution
 * to the state of its turn and conversation. The value is plain JSON.
 */
import type { Decision } from "#domain/call/CallRecord"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import type { FailedOutcome, Outcome, Success } from "#domain/call/Outcome"
import type { ShownPart } from "#domain/parts/ShownPart"
import type { PollTimes } from "#domain/turn/TurnHistory"

/** The notes of an outcome on its call. `OutcomeText` leaves them out, because they do not belong to the action. */
type Marks = Pick<Success, "idempotent" | "unchanged" | "notExecuted" | "loop"> &
  Pick<FailedOutcome, "level" | "loop" | "recalled" | "remaining">

/** A completed call. */
export interface JournalledCall {
  /** The envelope that the model read. */
  readonly text: string
  /** The parts that accompany the envelope. */
  readonly parts?: ReadonlyArray<ShownPart>
  readonly isFailure: boolean
  readonly traceId: string
  readonly attempts: number
  readonly decisions: ReadonlyArray<Decision>
  /** The outcome without parts, as `OutcomeText` writes it. */
  readonly outcome: string
  readonly marks: Marks
  /** The tool and the canonical arguments; absent if the arguments could not be decoded. */
  readonly key?: string
  /** The idempotency key; empty if the call has none. */
  readonly idempotencyKey: string
  /** The id of the stored outcome, if the side effect of the call is unknown; absent otherwise. */
  readonly unknownOutcome?: string
  /** True if the handler ran for this call and its result was not replayed, or if the action was found to be done before. */
  readonly isFresh: boolean
  /**
   * The units that the call took from its budget, the key of that budget, and when units of Transient failures are
   * returned, in epoch milliseconds; absent if the call took none.
   */
  readonly spent?: { readonly key: string; readonly units: number; readonly readyAt?: number }
  /** The poll that the call made; absent if the tool is not a poll. */
  readonly polled?: PollTimes
  /** The event for the loop detector; absent if there was none. */
  readonly event?: LoopEvent
}

/** Returns the event with its digest computed, so that it can be written. */
export const settledEvent = (event: LoopEvent): LoopEvent => {
  const { digest } = event.outcome
  return typeof digest === "function" ? { ...event, outcome: { ...event.outcome, digest: digest() } } : event
}

/** Returns the notes of an outcome on its call. */
export const marksOf = (outcome: Outcome): Marks => {
  const { idempotent, level, loop, notExecuted, recalled, remaining, unchanged }: Marks = outcome
  return {
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(level === undefined ? {} : { level }),
    ...(loop === undefined ? {} : { loop }),
    ...(notExecuted === undefined ? {} : { notExecuted }),
    ...(recalled === undefined ? {} : { recalled }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(unchanged === undefined ? {} : { unchanged })
  }
}

/** Returns the outcome with notes on its call. */
export const marked = (outcome: Outcome, marks: Marks): Outcome => ({ ...outcome, ...marks })
