/**
 * Limits the retries of a tool, over all calls, to a share of its calls plus a small number per minute [4.11].
 *
 * The quota prevents retry storms: if an upstream is down, retries of every call would only add load.
 *
 * Contract: `test/contracts/RetryQuota.ts`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class RetryQuota extends Context.Service<
  RetryQuota,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /**
     * Counts a call, which earns a share of a retry. Returns immediately; a layer with a server sends counts in
     * batches.
     */
    readonly called: (tool: string) => void
    /** Takes one retry. Returns false if none is left. */
    readonly take: (tool: string) => Effect.Effect<boolean>
  }
>()("effect-toolguard/RetryQuota") {}
