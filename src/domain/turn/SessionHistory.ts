/**
 * The calls of a session, whose counts lapse after 60 seconds without the call [7.1], because a session does not show the
 * messages of its user.
 */
import * as CallMap from "./CallMap.ts"
import * as Lapses from "./Lapses.ts"
import * as Recent from "./Recent.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import type { TurnHistory } from "./TurnHistory.ts"

/**
 * Records that a call of a session is made. Returns the number of lapses of its counts. With its counts, the failure that
 * would be recalled lapses, unless the call changed something or may have.
 */
export const begin = (history: TurnHistory, key: string, nowMillis: number): readonly [number, TurnHistory] => {
  const [{ isLapse, lapses: count }, lapses] = Lapses.begin(history.lapses, key, nowMillis)
  const held = CallMap.isFull(history.writes.writes) ? withoutLapsed(history, nowMillis) : history
  if (!isLapse) return [count, { ...held, lapses }]
  const failures = Recent.remove(history.failures, key)
  return [count, { ...held, lapses, failures, writes: RepeatedWrites.lapsed(held.writes, key) }]
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
