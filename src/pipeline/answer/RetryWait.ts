/**
 * [4.7, 4.11] Decides how long a model must wait after a Transient failure before it repeats the call.
 *
 * If the budget has counted the call, the wait ends when the units of the call become available again. Otherwise the
 * wait is the backoff of the tool's retries, with jitter.
 */
import type { Outcome } from "#domain/call/Outcome"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Call from "#pipeline/call/Call"

/** Returns the outcome with the wait, if it is a Transient failure without a side effect. */
export const withWait = (call: Call.Call, outcome: Outcome): Outcome | Effect.Effect<Outcome> => {
  if (outcome._tag === "Success") return outcome
  const { failure } = outcome
  if (failure._tag !== "Transient" || failure.sideEffect !== "none") return outcome
  const { attempts, readyAt } = call.trace
  if (readyAt !== undefined) {
    const rest = Math.max(1, Math.ceil(readyAt - Call.now(call)))
    return { ...outcome, retryAfterMillis: Math.max(rest, Math.ceil(RetryPolicy.floorMillis(failure))) }
  }
  const { retry } = call.tool.definition
  return Effect.map(Random.next, (random) => ({
    ...outcome,
    retryAfterMillis: RetryPolicy.statedMillis(retry, Math.max(retry.attempts, attempts.length), failure, random)
  }))
}
