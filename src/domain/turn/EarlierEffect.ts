/** Determines the combined side effect of earlier identical calls in a turn. The refusal of a repeated call reports it. */
import type { SideEffect } from "#domain/failure/Failure"
import { mostSevere } from "./Account.ts"
import * as DoubtfulWrites from "./DoubtfulWrites.ts"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import { recall, type TurnHistory } from "./TurnHistory.ts"

/** Returns the most serious effect of the failures and successes of a write; `none` if the turn holds neither. */
export const of = (history: TurnHistory, key: string): SideEffect => {
  const failed = DoubtfulWrites.get(history.doubts, key) === undefined ? "none" : "unknown"
  const succeeded = RepeatedWrites.effectOf(history.writes, key) ?? "none"
  return mostSevere(mostSevere(recall(history, key)?.sideEffect, failed), succeeded)
}
