/** A call in the log of the loop detector. */
import type { PendingResult } from "./PendingResult.ts"
import type { StatusPoll } from "./StatusPoll.ts"

/** One remembered call. */
export interface Entry {
  /** The tool and the canonical arguments, shortened if they are long. */
  readonly key: string
  /** A cheap hash of the key, so that different keys rarely need a comparison. */
  readonly hash: number
  readonly tool: string
  readonly digest: () => string
  /** The number of identical calls with the same result since counts restarted, including this call. */
  readonly count: number
  /** The position of the call in the conversation, from 1. */
  readonly at: number
  /** The turn of the call; empty for a host without turns. */
  readonly turn: string
  /**
   * True for a call that cannot belong to a cycle: a poll, a reading of a status, a write whose repeats are allowed,
   * or a call that was not made (`LoopEvent.isUnmade`).
   */
  readonly isExempt: boolean
  /** When the call may be made again after a Transient failure, in epoch milliseconds. */
  readonly readyAt?: number | undefined
  /** The readings of a status, if the result is the status of unfinished work. */
  readonly status?: StatusPoll | undefined
  /** Present if the result says that something is pending. */
  readonly pending?: PendingResult | undefined
}
