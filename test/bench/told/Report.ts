/** What one situation was reported as: to a program as a typed failure, to a model as an envelope, and in the record. */
import type { EnvelopeError } from "#domain/envelope/EnvelopeError"
import type { Effect } from "./Answer.ts"

/** The report of one call. */
export interface Report {
  readonly outcome: "success" | "partial" | "failure"
  /** The failure's tag; absent after a success. */
  readonly class?: string
  readonly code?: string
  readonly sideEffect: Effect
  /** What a model reads about a failure. Absent for a program and after a success. */
  readonly error?: EnvelopeError
  /** The hint that a program reads. */
  readonly hint?: string
  readonly usedFallback: boolean
  /** The side effect in the call's record. */
  readonly recorded: Effect
  /** Whether the run ended because a person must decide. Hosts have no run: there it is what the envelope asks for. */
  readonly endsForPerson: boolean
  /** The status of an HTTP caller. */
  readonly status?: number
}
