/**
 * When a transient failure is tried again: exponential backoff, jitter, caps, and the server's wish as the floor.
 *
 * **Details**
 *
 * - Delay n is `base * 2^(n-1)`, cut at `cap`, then jittered; jitter never exceeds the cap (SPEC 4.11).
 * - `equal` jitter waits half of the delay and a random part of the other half: in the storm simulation it has the
 *   lowest peak and nearly the fewest requests. `full` waits a random part of all of it; `decorrelated` a random time
 *   between `base` and three times the delay before.
 * - A server's Retry-After is the floor of the next delay. One beyond `cap` is not waited for: the retrying stops.
 * - A delay that would end past the deadline is not started.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Failure } from "#domain/failure/Failure"

export type Jitter = "equal" | "full" | "decorrelated" | "none"

export interface RetryPolicy {
  /** Executions in all, the first included. */
  readonly attempts: number
  /** First delay, in milliseconds. */
  readonly baseMillis: number
  /** Longest delay, in milliseconds. */
  readonly capMillis: number
  readonly jitter: Jitter
}

/** SPEC 2.9: 3 attempts, 200 ms, 20 s, equal jitter. */
export const defaults: RetryPolicy = { attempts: 3, baseMillis: 200, capMillis: 20_000, jitter: "equal" }

/** How long the upstream asked to be left alone, in milliseconds; 0 where it asked for nothing. */
export const floorMillis = (failure: Failure): number =>
  failure._tag === "Transient" && failure.retryAfter !== undefined ? Duration.toMillis(failure.retryAfter) : 0

/** The jittered delay. `random` is in [0, 1); `previousMillis` is the delay before (`baseMillis` at first). */
export const delayMillis = (
  policy: RetryPolicy,
  retry: number,
  random: number,
  previousMillis: number = policy.baseMillis
): number => {
  const capped = Math.min(policy.capMillis, policy.baseMillis * 2 ** Math.min(retry - 1, 1_000))
  switch (policy.jitter) {
    case "none":
      return capped
    case "full":
      return capped * random
    case "equal":
      return capped / 2 + (capped / 2) * random
    case "decorrelated":
      return Math.min(policy.capMillis, policy.baseMillis + (previousMillis * 3 - policy.baseMillis) * random)
  }
}

/**
 * The policy as a Schedule over failures. It ends where the attempts are used up, where the server asks for more than
 * the cap, or where the next delay would end past `remainingMillis` (counted from its first step).
 */
export const schedule = (
  policy: RetryPolicy,
  remainingMillis: number
): Schedule.Schedule<Duration.Duration, Failure> => {
  let previous = policy.baseMillis
  return Schedule.exponential(Duration.millis(policy.baseMillis)).pipe(
    Schedule.setInputType<Failure>(),
    Schedule.modifyDelay(({ attempt, input }) =>
      Effect.map(Random.next, (random) => {
        previous = delayMillis(policy, attempt, random, previous)
        return Duration.millis(Math.max(previous, floorMillis(input)))
      })
    ),
    Schedule.while(
      ({ attempt, duration, elapsed, input }) =>
        attempt < policy.attempts &&
        floorMillis(input) <= policy.capMillis &&
        elapsed + Duration.toMillis(duration) <= remainingMillis
    )
  )
}
