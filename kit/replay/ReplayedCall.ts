/** One recorded call as the guard would have treated it, beside what really happened. */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import type { Tally } from "effect-toolguard/internal/domain/call/CallTally"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Judged } from "./RecordedAnswer.ts"
import type { LoggedAnswer } from "#kit/traffic/Timeline"

export interface ReplayedCall {
  /** From 1, in the order of the conversation. */
  readonly number: number
  /** Equal for identical calls. */
  readonly key: string
  readonly turn: number
  readonly round: number
  readonly tool: string
  /** As the model wrote them. */
  readonly arguments: unknown
  /** What the log holds as the answer; undefined where the call was interrupted. */
  readonly answer: LoggedAnswer | undefined
  /** What that answer was. */
  readonly judged: Judged | undefined
  /** What the guard makes of the call. */
  readonly record: CallRecord
  readonly tally: Tally
  /** What of the arguments breaks the tool's schema, whether it was enforced or not. */
  readonly issues: ReadonlyArray<ArgumentIssue>
  /**
   * The guard repeats an answer or refuses, or its run has ended at the identical call before; and the log has a new and
   * good answer for this very call.
   */
  readonly isSuspect: boolean
  /** A person would have been asked, or the run ended, since it went round in circles. */
  readonly loop: { readonly pattern: LoopPattern; readonly count: number } | undefined
  /** A person would have been asked before the call was made. */
  readonly isAsked: boolean
}

/** A round of which the guard made no call again: its request to the model need not have been. */
export interface SparedRound {
  readonly tokens: { readonly input: number; readonly output: number }
}

/** A conversation as the guard would have treated it. */
export interface Replayed {
  /** Turns and rounds that have calls. */
  readonly turns: number
  readonly rounds: number
  readonly calls: ReadonlyArray<ReplayedCall>
  readonly spared: ReadonlyArray<SparedRound>
}
