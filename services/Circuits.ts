/**
 * Keeps one circuit per tool, which rejects attempts for a while after a share of the latest ones failed [4.11].
 *
 * A circuit counts every attempt. Only Transient and Resource failures count against a tool.
 *
 * Contract: `test/contracts/Circuits.ts`.
 */
import type { Outcome } from "#domain/call/Outcome"
import type { CircuitPolicy } from "#domain/tool/Circuit"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** The circuit rejects an attempt. */
export interface CircuitRejection {
  /** How long to wait before the next attempt. Includes jitter. */
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
