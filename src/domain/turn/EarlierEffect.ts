/** Returns what the identical calls earlier in a turn have changed, for the refusal of another one. */
import type { SideEffect } from "#domain/failure/Failure"
import * as RepeatedWrites from "./RepeatedWrites.ts"
import { recall, type TurnHistory } from "./TurnHistory.ts"
import * as UnsettledWrites from "./UnsettledWrites.ts"

/** Returns the effect that the failure or the successes of a write prove; `none` if the turn holds neither. */
export const of = (history: TurnHistory, key: string): SideEffect =>
  recall(history, key)?.sideEffect ??
  UnsettledWrites.failureOf(history.unsettled, key)?.sideEffect ??
  RepeatedWrites.effectOf(history.writes, key) ??
  "none"
