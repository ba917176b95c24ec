/**
 * Decides when the counts of a call lapse in a session whose host sees no messages of the user, as over MCP: after
 * 60 seconds without the call [7.1].
 */
import * as RecentEntries from "./RecentEntries.ts"

/** A call of a session. */
interface SessionCall {
  /** When the call was last made or answered, in epoch milliseconds. */
  readonly at: number
  /** The number of times that the counts have lapsed. */
  readonly lapses: number
  /** The number of lapses that did not reset the count of the call's attempts. */
  readonly kept: number
}

/** The calls of a session. */
export type Lapses = RecentEntries.RecentEntries<SessionCall>

/** The time without a call after which its counts lapse, in milliseconds. */
const lapseMillis = 60_000

/** No calls. */
export const empty: Lapses = RecentEntries.empty()

/**
 * Records that a call is made. Returns the number of lapses of its counts, how often the count of its attempts has
 * restarted, and whether it restarts now. `isInDoubt` is true if the effect of the call is unknown: its attempts then
 * stay counted.
 */
export const begin = (
  self: Lapses,
  call: string,
  nowMillis: number,
  isInDoubt = false
): readonly [{ readonly lapses: number; readonly restarts: number; readonly isRestart: boolean }, Lapses] => {
  const before = RecentEntries.get(self, call)
  const isLapse = before !== undefined && nowMillis - before.at >= lapseMillis
  const lapses = (before?.lapses ?? 0) + (isLapse ? 1 : 0)
  const kept = (before?.kept ?? 0) + (isLapse && isInDoubt ? 1 : 0)
  const restarts = lapses - kept
  return [
    { lapses, restarts, isRestart: isLapse && !isInDoubt },
    RecentEntries.set(self, call, { at: nowMillis, lapses, kept })
  ]
}

/** True if the counts of a call have lapsed, or if the session has not made the call recently. */
export const isOver = (self: Lapses, call: string, nowMillis: number): boolean => {
  const before = RecentEntries.get(self, call)
  return before === undefined || nowMillis - before.at >= lapseMillis
}

/** Records that a call is answered. */
export const end = (self: Lapses, call: string, nowMillis: number): Lapses => {
  const before = RecentEntries.get(self, call)
  return before === undefined ? self : RecentEntries.set(self, call, { ...before, at: Math.max(before.at, nowMillis) })
}
