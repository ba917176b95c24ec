/** Returns what the identical calls earlier in a turn have changed, for the refusal of another one. */
import type { SideEffect } from "#domain/failure/Failure"
import { gravest } from "./Account.ts"
import * as DoubtfulWrites from "./DoubtfulWrites.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import { recall, type TurnHistory } from "./TurnHistory.ts"

/** Returns the gravest effect that the failures and successes of a write prove; `none` if the turn holds neither. */
export const of = (history: TurnHistory, key: string): SideEffect => {
  const failed = DoubtfulWrites.get(history.doubts, key) === undefined ? "none" : "unknown"
  const succeeded = RepeatedWrites.effectOf(history.writes, key) ?? "none"
  return gravest(gravest(recall(history, key)?.sideEffect, failed), succeeded)
}
