/**
 * A completed call in the journal of a run: what the model read, what the record needs, and what it adds to the
 * state of its turn and conversation. Plain JSON.
 */
import type { Decision } from "#domain/call/CallRecord"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import type { Failed, Outcome, Success } from "#domain/call/Outcome"
import type { ShownPart } from "#domain/parts/ShownPart"
import type { Polled } from "#domain/turn/TurnHistory"

/** The notes of an outcome on its call. `OutcomeText` leaves them out, because they do not belong to the action. */
type Marks = Pick<Success, "idempotent" | "unchanged" | "loop"> &
  Pick<Failed, "level" | "loop" | "recalled" | "remaining">

/** A completed call. */
export interface JournaledCall {
  /** The envelope. */
  readonly text: string
  /** The parts beside the envelope. */
  readonly parts?: ReadonlyArray<ShownPart>
  readonly isFailure: boolean
  readonly traceId: string
  readonly attempts: number
  readonly decisions: ReadonlyArray<Decision>
  /** `OutcomeText`, encoded by the tool's schema, without parts. */
  readonly outcome: string
  readonly marks: Marks
  /** Tool and canonical arguments; absent if the arguments could not be decoded. */
  readonly key?: string
  /** Empty if the call has no key. */
  readonly idempotencyKey: string
  /** Whether the handler ran and its result was not replayed. */
  readonly isFresh: boolean
  /** The units that it took from its budget, and their key; absent if it took none. */
  readonly spent?: { readonly key: string; readonly units: number }
  /** Absent if the tool is not a poll. */
  readonly polled?: Polled
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
  const { idempotent, level, loop, recalled, remaining, unchanged }: Marks = outcome
  return {
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(level === undefined ? {} : { level }),
    ...(loop === undefined ? {} : { loop }),
    ...(recalled === undefined ? {} : { recalled }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(unchanged === undefined ? {} : { unchanged })
  }
}

/** Returns the outcome with notes on its call. */
export const marked = (outcome: Outcome, marks: Marks): Outcome => ({ ...outcome, ...marks })
