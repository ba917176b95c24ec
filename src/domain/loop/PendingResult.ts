/**
 * Decides when a read may be repeated after a result that says that something is pending [7.2].
 *
 * The identical call within a second, without another call in between, is not made. It gets the last result, and the
 * model reads when to call again. A call at that time is made, and replaces the call that was not made.
 */

/** A pending result. */
export interface PendingResult {
  /** When the call may be made again, in epoch milliseconds. */
  readonly dueAt: number
  /** True if an identical call came sooner, and the model has read when to call again. */
  readonly isTold: boolean
}

/** The end of a call, as in the event of the loop detector. */
interface CallEnd {
  readonly at?: number | undefined
  readonly endedAt?: number | undefined
  readonly isPending?: boolean | undefined
}

const waitMillis = 1_000

/** Returns the state after a call. A call that came too soon has the time `at`. */
export const after = (
  before: PendingResult | undefined,
  { at, endedAt, isPending }: CallEnd,
  isRecalled: boolean
): PendingResult | undefined => {
  if (isRecalled) return before === undefined || at === undefined ? before : { ...before, isTold: true }
  return isPending === true ? { dueAt: (endedAt ?? 0) + waitMillis, isTold: false } : undefined
}

/** Returns by how many milliseconds a call at `now` comes too soon; 0 if it does not come too soon. */
export const earlyMillis = ({ dueAt }: PendingResult, now: number): number => Math.max(0, dueAt - now)
