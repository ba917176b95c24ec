/**
 * A call that was answered, as the journal of a run holds it: what the model read, what the run is judged by, and what
 * the turn and the conversation remember of it. Plain JSON.
 */
import type { Decision } from "#domain/call/CallRecord"
import type { LoopEvent } from "#domain/loop/LoopDetector"
import type { Failed, Outcome, Success } from "#domain/call/Outcome"
import type { ShownPart } from "#domain/parts/ShownPart"
import type { Polled } from "#domain/turn/TurnHistory"

/** What an outcome says of its call: `OutcomeText` leaves it out, since it does not belong to the action. */
export type Marks = Pick<Success, "idempotent" | "unchanged" | "loop"> &
  Pick<Failed, "level" | "loop" | "recalled" | "remaining">

export interface JournaledCall {
  /** The envelope. */
  readonly text: string
  /** What stands beside it. */
  readonly parts?: ReadonlyArray<ShownPart>
  readonly isFailure: boolean
  readonly traceId: string
  readonly attempts: number
  readonly decisions: ReadonlyArray<Decision>
  /** `OutcomeText`, encoded by the tool's schema, without parts. */
  readonly outcome: string
  readonly marks: Marks
  /** Tool and canonical arguments; absent where they could not be decoded. */
  readonly key?: string
  /** Empty where the call has none. */
  readonly idempotencyKey: string
  /** The handler ran, and its result is no replay. */
  readonly isFresh: boolean
  /** Units that it took of its budget, and under which key; absent where it took none. */
  readonly spent?: { readonly key: string; readonly units: number }
  /** Absent where its tool is no poll. */
  readonly polled?: Polled
  /** What the loop detector was told; absent where it was not. */
  readonly event?: LoopEvent
}

/** An event whose digests have been worked out, so that it can be written down. */
export const settledEvent = (event: LoopEvent): LoopEvent => {
  const { digest } = event.outcome
  return typeof digest === "function" ? { ...event, outcome: { ...event.outcome, digest: digest() } } : event
}

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

/** An outcome with the marks of its call. */
export const marked = (outcome: Outcome, marks: Marks): Outcome => ({ ...outcome, ...marks })
