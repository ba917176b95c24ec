/**
 * Remembers which keyed action was started and which was done (SPEC 8.2, 8.3).
 *
 * **Details**
 *
 * - `claim` and what it answers are one atomic step: never check, then act.
 * - A claim in flight in this process is joined: `InFlight.outcome` waits for it. In another process it is only known.
 * - A claim holds for its lease. One whose process died is `Lapsed`: its effect may have happened, and who claims it
 *   then finds that out before anything is done again.
 * - Keys are scoped by tenant; `binding` is the canonical call, so that a key with other arguments is a conflict.
 * - Outcomes are texts (`#domain/OutcomeText`): what is kept outlives the process.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of the keys does not answer. Keyed calls are then refused. */
export class IdempotencyKeysUnavailable extends Schema.TaggedError<IdempotencyKeysUnavailable>(
  "effect-toolguard/IdempotencyKeysUnavailable"
)("IdempotencyKeysUnavailable", { cause: Schema.Defect() }) {}

/** How long a store may take to claim a key: a lease begins when the store is asked. One that takes longer has not claimed it. */
export const longestClaim = Duration.seconds(5)

/** Which action a key stands for, and which call wants to make it. */
export interface KeyClaim {
  readonly tenant: string
  readonly key: string
  /** The tool and its canonical arguments. */
  readonly binding: string
  /** How long a finished action is remembered. Default 24 hours. */
  readonly timeToLive: Duration.Duration
  /**
   * How long the action may take, with `longestClaim` before it, and the time that a request which was sent at its end may
   * take.
   */
  readonly lease: Duration.Duration
  /** The call that claims, unique among all conversations. */
  readonly callId: string
  /** The call was begun before by a process that died: its own claim has lapsed, whatever its lease says. */
  readonly isResumed: boolean
}

/** What a store knows of a key. */
export type Known =
  | { readonly _tag: "Done"; readonly outcome: string; readonly callId: string }
  /** `outcome` is absent where another process runs it. */
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<string> | undefined }
  /** It was started and never ended. Until `until`, in epoch milliseconds, what was sent may still arrive. */
  | { readonly _tag: "Lapsed"; readonly until: number }
  | { readonly _tag: "Conflict" }

/** `owner` ends the claim. A claim that `lapsed` was taken over from one that never ended. */
export interface Claimed {
  readonly _tag: "Claimed"
  readonly owner: string
  readonly lapsed: { readonly until: number } | undefined
}

export type Claim =
  | Claimed
  | Exclude<Known, { readonly _tag: "Lapsed" }>
  /** The approval of the call was used already, or is over. Nothing was claimed. */
  | { readonly _tag: "NotApproved" }

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * Starts an action. `consume` takes the approval that it needs: in the same transaction where the store has one,
     * else before the claim. Where it says false nothing is claimed.
     */
    readonly claim: (
      claim: KeyClaim,
      consume?: Effect.Effect<boolean>
    ) => Effect.Effect<Claim, IdempotencyKeysUnavailable>
    /** What is known of a key, without claiming it. */
    readonly find: (claim: KeyClaim) => Effect.Effect<Known | undefined, IdempotencyKeysUnavailable>
    /**
     * Ends a claim: its outcome is kept, or the key is free again. Joiners get the outcome either way. False where the
     * claim had lapsed and somebody else has it.
     */
    readonly complete: (
      claim: KeyClaim,
      owner: string,
      outcome: string,
      isKept: boolean
    ) => Effect.Effect<boolean, IdempotencyKeysUnavailable>
    /**
     * Leaves a claim that was stopped in the middle, as a process does that dies: joiners get the outcome, and the key
     * lapses with its lease, or when its own call is resumed.
     */
    readonly leave: (claim: KeyClaim, outcome: string) => Effect.Effect<void>
  }
>()("effect-toolguard/IdempotencyKeys") {}
