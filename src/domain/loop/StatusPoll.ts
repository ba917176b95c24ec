/**
 * Decides when the status of unfinished work may be read again if its tool declares no poll [7.2].
 *
 * After each reading, the result tells the model how long to wait: 1 second at first, then twice as long each time, at most 30
 * seconds. The guard waits for up to 10 seconds of this time. If the call then still comes too soon, it gets the last
 * result and counts as an identical call.
 */

/** The readings of one status. Times are in epoch milliseconds. */
export interface StatusPoll {
  /** How long the model was asked to wait after the last reading, in milliseconds. */
  readonly toldMillis: number
  /** When the last reading ended. */
  readonly endedAt: number
  /** When the status was last asked for, including the guard's wait. */
  readonly askedAt: number
}

const firstMillis = 1_000
const longestMillis = 30_000
/** The longest time that the guard waits before it reads a status. */
const longestWaitMillis = 10_000

/** True if the time that the model was asked to wait has passed. */
export const isDue = ({ endedAt, toldMillis }: StatusPoll, at: number): boolean => at >= endedAt + toldMillis

/** Returns how long the guard waits, and when the call is then made. */
export const waiting = (
  { askedAt, endedAt, toldMillis }: StatusPoll,
  nowMillis: number
): { readonly waitMillis: number; readonly at: number } => {
  // a clock of recorded calls does not advance while the guard waits
  const from = Math.max(nowMillis, askedAt, endedAt)
  const waitMillis = Math.min(longestWaitMillis, Math.max(0, endedAt + toldMillis - from))
  return { waitMillis, at: from + waitMillis }
}

/** Records a reading that has ended. A transient failure does not change the wait. */
export const read = (before: StatusPoll | undefined, at: number, endedAt: number, isFailure: boolean): StatusPoll => {
  const previousMillis = before?.toldMillis ?? 0
  const toldMillis = isFailure
    ? previousMillis
    : previousMillis === 0
      ? firstMillis
      : Math.min(longestMillis, 2 * previousMillis)
  return { toldMillis, endedAt: Math.max(at, endedAt), askedAt: Math.max(at, endedAt) }
}

/** Records a call that came too soon. */
export const asked = (poll: StatusPoll, at: number): StatusPoll => ({ ...poll, askedAt: Math.max(poll.askedAt, at) })
