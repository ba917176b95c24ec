/**
 * The shared allowance for retries: at most a share of a tool's calls, with a small floor a minute (SPEC 4.11).
 *
 * It stops retry storms: when an upstream is down for everybody, retries are the first thing to save.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class RetryQuota extends Context.Service<
  RetryQuota,
  {
    /** Counts one call: it earns a share of a retry. Never waits: a layer that counts elsewhere sends batches. */
    readonly called: (tool: string) => void
    /** Takes one retry; false where none is left. */
    readonly take: (tool: string) => Effect.Effect<boolean>
  }
>()("effect-toolguard/RetryQuota") {}
