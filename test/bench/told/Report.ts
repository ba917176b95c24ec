/** The report on one situation: a typed failure for a program, an envelope for a model, and the record. */
import type { EnvelopeError } from "#domain/envelope/EnvelopeError"
import type { SideEffect } from "#domain/failure/Failure"

/** The report of one call. */
export interface Report {
  readonly outcome: "success" | "partial" | "failure"
  /** The failure's tag; absent after a success. */
  readonly class?: string
  readonly code?: string
  readonly sideEffect: SideEffect
  /** The fields that a model reads about a failure. Absent for a program and after a success. */
  readonly error?: EnvelopeError
  /** The hint that a program reads. */
  readonly hint?: string
  /**
   * The texts that a model reads in addition to a result; empty if it reads only the result. Absent for a program and
   * after a failure.
   */
  readonly notice?: string
  readonly usedFallback: boolean
  /** The side effect in the call's record. */
  readonly recorded: SideEffect
  /**
   * True if the run ended because a person must decide. Programs and hosts have no run: true if the code is
   * `outcome_unknown` or `no_person`.
   */
  readonly endsForPerson: boolean
  /** The HTTP status of the response. Absent for other callers. */
  readonly status?: number
}
