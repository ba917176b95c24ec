/**
 * Records the calls of a session. The counts of a call lapse after 60 seconds without that call [7.1], because a
 * session does not show the messages of its user.
 */
import * as CallMap from "./CallMap.ts"
import * as DoubtfulWrites from "./DoubtfulWrites.ts"
import * as Lapses from "./Lapses.ts"
import * as RecentEntries from "./RecentEntries.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import type { TurnHistory } from "./TurnHistory.ts"

/** How often the counts of a call have lapsed: those of the loop detector, and those of its attempts and successes. */
interface SessionCounts {
  readonly lapses: number
  readonly restarts: number
}

/**
 * Records that a call of a session is made. When the counts lapse, the recalled failure of the call lapses too, unless the
 * call changed something or may have changed something. While the effect of a write is unknown, its attempts stay counted.
 */
export const begin = (history: TurnHistory, key: string, nowMillis: number): readonly [SessionCounts, TurnHistory] => {
  const isInDoubt = DoubtfulWrites.get(history.doubts, key) !== undefined
  const [{ isRestart, ...counts }, lapses] = Lapses.begin(history.lapses, key, nowMillis, isInDoubt)
  const held = CallMap.isFull(history.writes.writes) ? withoutLapsed(history, nowMillis) : history
  if (!isRestart) return [counts, { ...held, lapses }]
  const failures = RecentEntries.remove(history.failures, key)
  return [counts, { ...held, lapses, failures, writes: RepeatedWrites.lapsed(held.writes, key) }]
}

/** Drops those writes of a session whose counts have lapsed, together with their keys. */
const withoutLapsed = (history: TurnHistory, nowMillis: number): TurnHistory => {
  const isOver = (call: string): boolean => Lapses.isOver(history.lapses, call, nowMillis)
  return {
    ...history,
    writes: RepeatedWrites.drop(history.writes, isOver),
    keys: CallMap.filter(history.keys, (_, call) => !isOver(call))
  }
}

/** Records that a call of a session is answered. */
export const end = (history: TurnHistory, key: string, nowMillis: number): TurnHistory => ({
  ...history,
  lapses: Lapses.end(history.lapses, key, nowMillis)
})
