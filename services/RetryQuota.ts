/**
 * Limits the retries of a tool, over all calls, to a share of its calls plus a small number per minute [4.11].
 *
 * It prevents retry storms: if an upstream is down, retries of every call would only add load.
 *
 * Contract: `test/contracts/RetryQuota.ts`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class RetryQuota extends Context.Service<
  RetryQuota,
  {
    /** False if its state is only in this process, where tools that share an id are kept separate. Default true [2.10]. */
    readonly isShared?: boolean
    /** Counts a call, which earns a share of a retry. Returns at once: a layer that keeps its counts on a server sends them in batches. */
    readonly called: (tool: string) => void
    /** Takes one retry. False if none is left. */
    readonly take: (tool: string) => Effect.Effect<boolean>
  }
>()("effect-toolguard/RetryQuota") {}
