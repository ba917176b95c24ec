/**
 * One circuit per tool: after a row of failures the tool is left alone for a while (SPEC 4.11).
 *
 * It hears each attempt. Only Transient and Resource failures count against a tool; everything else is an answer.
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

/** The circuit lets no call through. */
export interface CircuitRejection {
  /** When the next probe is let through. */
  readonly retryAfter: Duration.Duration
}

export class Circuits extends Context.Service<
  Circuits,
  {
    readonly execute: (
      tool: string,
      policy: CircuitPolicy,
      attempt: Effect.Effect<Outcome>,
      onRejected: (rejection: CircuitRejection) => Outcome
    ) => Effect.Effect<Outcome>
  }
>()("effect-toolguard/Circuits") {}
