/**
 * One circuit per tool: after several failures in a row it rejects attempts for a while [4.11].
 *
 * It counts every attempt. Only Transient and Resource failures count against a tool.
 *
 * Contract: `test/contracts/Circuits.ts`.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** When a circuit opens and for how long. */
export interface CircuitPolicy {
  /** Failures in a row that open it. Default 5. */
  readonly failures: number
  /** How long it stays open. Default 30 seconds. */
  readonly openFor: Duration.Duration
}

/** The circuit rejects an attempt. */
export interface CircuitRejection {
  /** When it admits the next probe. */
  readonly retryAfter: Duration.Duration
}

export class Circuits extends Context.Service<
  Circuits,
  {
    /** False if its state is in this process only, so that tools with one id can be kept apart. Default true [2.10]. */
    readonly isShared?: boolean
    /** Runs an attempt and counts its outcome, or returns `onRejected` without running it. */
    readonly execute: (
      tool: string,
      policy: CircuitPolicy,
      attempt: Effect.Effect<Outcome>,
      onRejected: (rejection: CircuitRejection) => Outcome
    ) => Effect.Effect<Outcome>
  }
>()("effect-toolguard/Circuits") {}
