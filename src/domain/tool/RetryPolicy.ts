/**
 * Decides when a transient failure is retried: exponential backoff with jitter, a cap, and Retry-After as the minimum.
 *
 * **Details**
 *
 * - Delay n is `base * 2^(n-1)`, limited to `cap`, then jittered; jitter never exceeds the cap [4.11].
 * - `equal` jitter waits half of the delay and a random part of the other half. In the storm simulation it has the
 *   lowest peak and nearly the fewest requests. `full` jitter waits a random part of the whole delay, and
 *   `decorrelated` jitter a random time between `base` and three times the previous delay.
 * - The next delay is at least the Retry-After of the server. If Retry-After exceeds `cap`, no retry follows.
 * - If a delay would end after the deadline, no retry follows.
 *
 * This module imports Effect because a Schedule takes its delays as Effects and Random makes jitter repeatable in
 * tests.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { Failure } from "#domain/failure/Failure"

/** How a delay is randomised. */
export type Jitter = "equal" | "full" | "decorrelated" | "none"

/** The policy of a tool. */
export interface RetryPolicy {
  /** The number of executions, including the first. */
  readonly attempts: number
  /** The first delay, in milliseconds. */
  readonly baseMillis: number
  /** The longest delay, in milliseconds. */
  readonly capMillis: number
  readonly jitter: Jitter
}

/** The defaults: 4 attempts, 1 s, 20 s, equal jitter. Source: [2.9]. */
export const defaults: RetryPolicy = { attempts: 4, baseMillis: 1_000, capMillis: 20_000, jitter: "equal" }

/** Returns the wait that the upstream asked for, in milliseconds; 0 if it asked for none. */
export const floorMillis = (failure: Failure): number =>
  failure._tag === "Transient" && failure.retryAfter !== undefined ? Duration.toMillis(failure.retryAfter) : 0

/**
 * Returns the jittered delay. `random` is in [0, 1); `previousMillis` is the previous delay (`baseMillis` at first).
 */
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
 * Returns the wait, in milliseconds, that a model reads before it may repeat a call whose attempt has failed [4.7].
 *
 * While another attempt of the same call may follow, the wait is longer than any delay before that attempt. The wait is
 * at least the Retry-After of the server. If no attempt follows, the jitter on Retry-After is at most a tenth of it, and
 * at most the cap.
 */
export const statedMillis = (policy: RetryPolicy, attempt: number, failure: Failure, random: number): number => {
  const floor = floorMillis(failure)
  const part = policy.jitter === "none" ? 0 : random
  if (attempt >= policy.attempts || floor > policy.capMillis) {
    return Math.ceil(
      Math.max(delayMillis(policy, attempt, random), floor + Math.min(floor / 10, policy.capMillis) * part)
    )
  }
  return Math.ceil(Math.max(longestDelayMillis(policy, attempt), floor) * (1.25 + part / 4))
}

/** Returns the longest delay after an attempt, if the server asks for none. */
const longestDelayMillis = ({ baseMillis, capMillis, jitter }: RetryPolicy, attempt: number): number =>
  Math.min(capMillis, baseMillis * (jitter === "decorrelated" ? 3 ** attempt : 2 ** (attempt - 1)))

/**
 * Returns the policy as a Schedule over failures. It ends if the attempts are used up, if the server asks for more than
 * the cap, or if the next delay would end after `remainingMillis`, counted from its first step.
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
