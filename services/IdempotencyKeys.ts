/**
 * Stores which actions with an idempotency key were started and which are done [8.2] [8.3].
 *
 * **Details**
 *
 * - `claim` checks and claims in one atomic step.
 * - If this process is running the action of a key, a further claim of the key joins it: `InFlight.outcome` waits for
 *   the outcome. If another process is running the action, `InFlight` has no outcome.
 * - A claim is valid for its lease. Afterwards it is `Lapsed`: its process has probably crashed, and its action may
 *   have been done. The next call that claims the key finds out whether it was done before it runs the action again.
 *   If the first process was only paused, its `renew` and `complete` return false after that claim.
 * - The clock of the store decides what has lapsed or expired, never the clock of a process that uses the store.
 * - Keys are scoped by tenant and principal. `binding` is the canonical call, so the same key with other arguments is a
 *   conflict.
 * - Outcomes are texts (`#domain/call/OutcomeText`), because they outlive the process.
 *
 * Contract: `test/contracts/IdempotencyKeys.ts`.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The store of keys does not respond, or is full. Keyed calls are then refused. */
export class IdempotencyKeysUnavailable extends Schema.TaggedError<IdempotencyKeysUnavailable>(
  "effect-toolguard/IdempotencyKeysUnavailable"
)("IdempotencyKeysUnavailable", {
  cause: Schema.Defect(),
  /** The sentence that the caller reads. By default it says that the store does not respond. */
  detail: Schema.optionalKey(Schema.String)
}) {}

/**
 * The maximum duration of a request that claims or renews a key. The lease starts with the request, so an answer that
 * comes later does not count.
 */
export const longestClaim = Duration.seconds(5)

/** The action of a key, and the call that wants to run it. */
export interface KeyClaim {
  readonly tenant: string
  /** The principal on whose behalf the action is done; undefined if there is none. Each principal has separate keys. */
  readonly principal?: string | undefined
  readonly key: string
  /** The tool and its canonical arguments. */
  readonly binding: string
  /** How long the outcome of a finished action is stored. Default 24 hours. */
  readonly timeToLive: Duration.Duration
  /**
   * How long the claim is valid: the sum of `longestClaim`, the time limit of the action, and the time limit of a
   * request that is sent at the end of the action.
   */
  readonly lease: Duration.Duration
  /** The id of the call, unique among all conversations. */
  readonly callId: string
  /**
   * True if a crashed process left the call unfinished. The call may then take over its own claim before the lease
   * ends.
   */
  readonly isResumed: boolean
}

/** The stored state of a key. */
export type KeyState =
  | { readonly _tag: "Done"; readonly outcome: string; readonly callId: string }
  /** The action is running. `outcome` is undefined if another process is running it. */
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<string> | undefined }
  /** The action was started and never completed. For `remainingMillis`, its request may still arrive. */
  | { readonly _tag: "Lapsed"; readonly remainingMillis: number }
  | { readonly _tag: "Conflict" }

/** The key is claimed. */
export interface ClaimResult {
  readonly _tag: "Claimed"
  /** Needed to renew and to complete the claim. */
  readonly owner: string
  /**
   * A safe integer, greater than the token of the claim that was taken over. An upstream can store the highest token of
   * a key and refuse lower ones, and so refuse a process that was paused while another process took over the action.
   */
  readonly fencingToken: number
  /** Set if an unfinished claim was taken over. For `remainingMillis`, the request of that claim may still arrive. */
  readonly lapsed: { readonly remainingMillis: number } | undefined
}

/** The result of claiming a key. */
export type Claim =
  | ClaimResult
  | Exclude<KeyState, { readonly _tag: "Lapsed" }>
  /** The approval of the call was used before or has expired. Nothing was claimed. */
  | { readonly _tag: "NotApproved" }

export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /**
     * Claims a key. `consume` consumes the approval of the call: in the same transaction if the store has transactions,
     * otherwise before the claim. If `consume` returns false, nothing is claimed.
     */
    readonly claim: (
      claim: KeyClaim,
      consume?: Effect.Effect<boolean>
    ) => Effect.Effect<Claim, IdempotencyKeysUnavailable>
    /**
     * Restarts the lease of a claim. Returns false if the claim is no longer held: another call has taken it over, or
     * it is completed.
     */
    readonly renew: (claim: KeyClaim, owner: string) => Effect.Effect<boolean, IdempotencyKeysUnavailable>
    /** Looks up a key without claiming it. Returns undefined if the key is not in use. */
    readonly find: (claim: KeyClaim) => Effect.Effect<KeyState | undefined, IdempotencyKeysUnavailable>
    /**
     * Completes a claim: stores its outcome, or frees the key. In both cases joined calls get the outcome. Storing the
     * same outcome again changes nothing. Returns false if the owner does not hold the claim: another call has taken it
     * over, or it was completed with another outcome.
     */
    readonly complete: (
      claim: KeyClaim,
      owner: string,
      outcome: string,
      isKept: boolean
    ) => Effect.Effect<boolean, IdempotencyKeysUnavailable>
    /** Frees a completed key if its stored outcome is this text. False if the key has another outcome, or none. */
    readonly release: (claim: KeyClaim, outcome: string) => Effect.Effect<boolean, IdempotencyKeysUnavailable>
    /**
     * Leaves the claim of an interrupted action unfinished, as a crash would. Joined calls get the outcome. The claim
     * lapses when its lease ends or when its call is resumed.
     */
    readonly leave: (claim: KeyClaim, outcome: string) => Effect.Effect<void>
  }
>()("effect-toolguard/IdempotencyKeys") {}
