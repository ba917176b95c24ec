/**
 * The time limits of a call: `timeout` limits one attempt, `deadline` all attempts and the waits between them.
 *
 * **Details**
 *
 * - An unset timeout is 5 seconds, or the deadline if that is shorter.
 * - An unset deadline is 30 seconds, or longer if the attempts and the largest delays between them need it.
 * - If both are set, the deadline must not be below the timeout, because no attempt could use its time.
 */
import type { PolicyInput } from "./PolicyInput.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Setting from "./Setting.ts"

/** The limits that the user set, in milliseconds. An unset limit is derived. */
interface StatedLimits {
  readonly attemptMillis: number | undefined
  readonly deadlineMillis: number | undefined
}

/** Returns the limits that a policy sets. */
export const stated = (tool: string, { deadline, timeout }: PolicyInput): StatedLimits => ({
  attemptMillis: Setting.optionalMillis(tool, "timeout", timeout),
  deadlineMillis: Setting.optionalMillis(tool, "deadline", deadline)
})

/** The limits that apply, in milliseconds. */
interface TimeLimits {
  readonly attemptMillis: number
  readonly deadlineMillis: number
}

const defaultAttemptMillis = 5_000
const defaultDeadlineMillis = 30_000

/** Returns the limits of a tool. Throws a RangeError if the deadline is set below the timeout. */
export const of = (tool: string, stated: StatedLimits, retry: RetryPolicy.RetryPolicy): TimeLimits => {
  const { deadlineMillis } = stated
  if (deadlineMillis === undefined) {
    const attemptMillis = stated.attemptMillis ?? defaultAttemptMillis
    const needed = retry.attempts * attemptMillis + largestDelaysMillis(retry)
    return { attemptMillis, deadlineMillis: Math.min(Setting.longestMillis, Math.max(defaultDeadlineMillis, needed)) }
  }
  const attemptMillis = stated.attemptMillis ?? Math.min(defaultAttemptMillis, deadlineMillis)
  if (deadlineMillis >= attemptMillis) return { attemptMillis, deadlineMillis }
  throw Setting.tooShort(
    tool,
    ["deadline", deadlineMillis],
    ["timeout", attemptMillis],
    "so no attempt could use its time",
    "set a longer `deadline` or a shorter `timeout`, or leave `deadline` out"
  )
}

/** Returns the sum of the largest delays between all attempts, in milliseconds, if no server asks for longer delays. */
const largestDelaysMillis = (retry: RetryPolicy.RetryPolicy): number => {
  let sum = 0
  let previous = retry.baseMillis
  for (let attempt = 1; attempt < retry.attempts; attempt++) {
    if (previous >= retry.capMillis) return sum + (retry.attempts - attempt) * retry.capMillis
    previous = RetryPolicy.delayMillis(retry, attempt, 1, previous)
    sum += previous
  }
  return sum
}
