/**
 * Remembers which keyed action was started and which was done (SPEC 8.2).
 *
 * **Details**
 *
 * - `claim` and what it answers are one atomic step: never check, then act.
 * - A claim in flight in this process is joined: `InFlight.outcome` waits for it.
 * - Keys are scoped by tenant; `binding` is the canonical call, so that a key with other arguments is a conflict.
 */
import type { Outcome } from "#domain/Outcome"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the keys does not answer. Keyed calls are then refused. */
export class IdempotencyKeysUnavailable extends Schema.TaggedError<IdempotencyKeysUnavailable>(
  "effect-toolguard/IdempotencyKeysUnavailable"
)("IdempotencyKeysUnavailable", { cause: Schema.Defect() }) {}

/** Which action a key stands for. */
export interface KeyClaim {
  readonly tenant: string
  readonly key: string
  /** The tool and its canonical arguments. */
  readonly binding: string
  /** How long a finished action is remembered. Default 24 hours. */
  readonly timeToLive: Duration.Duration
}

export type Claim =
  | { readonly _tag: "Claimed" }
  | { readonly _tag: "Done"; readonly outcome: Outcome }
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome> }
  | { readonly _tag: "Conflict" }

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly claim: (claim: KeyClaim) => Effect.Effect<Claim, IdempotencyKeysUnavailable>
    /** What is known of a key, without claiming it. */
    readonly find: (
      claim: KeyClaim
    ) => Effect.Effect<Exclude<Claim, { _tag: "Claimed" }> | undefined, IdempotencyKeysUnavailable>
    /** Ends a claim. A success (or a committed failure) is kept; anything else frees the key. Joiners get the outcome. */
    readonly complete: (claim: KeyClaim, outcome: Outcome) => Effect.Effect<void, IdempotencyKeysUnavailable>
  }
>()("effect-toolguard/IdempotencyKeys") {}
