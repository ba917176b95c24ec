/** Counts the calls that the guard would have changed, by reason, and how many of them are suspects. */
import type { Saving, Tally } from "effect-toolguard/internal/domain/call/CallTally"
import * as StopReview from "#kit/replay/StopReview"
import type { ReplayedCall } from "#kit/replay/ReplayedCall"
import { byCount, table } from "./Tables.ts"

/** The number of calls that the guard would have blocked for one reason, or before which it would have ended the run. */
export interface Change {
  /**
   * A kind of saving, the code of a refusal, or `ended`: the guard would have ended the run at an earlier call, and the
   * log shows that a later one worked.
   */
  readonly reason: Saving | NonNullable<Tally["refusal"]> | "ended"
  readonly calls: number
  /** The number of these calls that are suspects. */
  readonly suspects: number
}

/** Returns why the guard would have blocked a call; undefined if it would have made the call. */
export const reasonOf = ({ tally }: Pick<ReplayedCall, "tally">): Change["reason"] | undefined =>
  tally.saving ?? tally.refusal

/** Creates an empty count. */
export const make = () => {
  const rows = table<{ -readonly [K in keyof Change]: Change[K] }>()
  return {
    add: (call: ReplayedCall): void => {
      const isSuspect = call.contradiction !== undefined
      if (!isSuspect && !StopReview.isBlocked(call)) return
      const reason = reasonOf(call) ?? "ended"
      const row = rows.at(reason, () => ({ reason, calls: 0, suspects: 0 }))
      row.calls += 1
      if (isSuspect) row.suspects += 1
    },
    rows: (): ReadonlyArray<Change> =>
      rows.rows().toSorted(
        byCount(
          ({ calls }) => calls,
          ({ reason }) => reason
        )
      )
  }
}
