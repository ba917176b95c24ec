/**
 * Keeps one circuit per tool, which rejects attempts for a while after several failures in a row [4.11].
 *
 * A circuit counts every attempt. Only Transient and Resource failures count against a tool.
 *
 * Contract: `test/contracts/Circuits.ts`.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** When a circuit opens and for how long. */
export interface CircuitPolicy {
  /** The number of failures in a row that opens the circuit. Default 5. */
  readonly failures: number
  /** How long the circuit stays open. Default 30 seconds. */
  readonly openFor: Duration.Duration
}

/** The circuit rejects an attempt. */
export interface CircuitRejection {
  /** The time until the circuit admits the next probe. */
  readonly retryAfter: Duration.Duration
}

export class Circuits extends Context.Service<
  Circuits,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
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
