/** One recorded call: what the guard would have done, and what the log shows. */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import type { Tally } from "effect-toolguard/internal/domain/call/CallTally"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Judged } from "./RecordedAnswer.ts"
import type { LoggedAnswer } from "#kit/traffic/Timeline"

/** A replayed call, with the log's answer. */
export interface ReplayedCall {
  /** Numbered from 1 within the conversation. */
  readonly number: number
  /** Equal for identical calls. */
  readonly key: string
  readonly turn: number
  readonly round: number
  readonly tool: string
  /** The arguments as the model wrote them. */
  readonly arguments: unknown
  /** The log's answer; undefined if the call was interrupted. */
  readonly answer: LoggedAnswer | undefined
  /** Whether that answer was a success or a failure; undefined without an answer. */
  readonly judged: Judged | undefined
  /** The guard's record of the replayed call. */
  readonly record: CallRecord
  readonly tally: Tally
  /** Where the arguments violate the tool's schema, whether it was enforced or not. */
  readonly issues: ReadonlyArray<ArgumentIssue>
  /**
   * Whether the guard would have blocked the call although it worked: the guard recalls an answer, refuses the call, or
   * ended the run at an earlier identical call, but the log has a new, successful answer for this call.
   */
  readonly isSuspect: boolean
  /** The guard detected a loop: it would have asked a person, or ended the run. */
  readonly loop: { readonly pattern: LoopPattern; readonly count: number } | undefined
  /** Whether a person would have been asked to approve the call. */
  readonly isAsked: boolean
}

/** A round whose calls the guard would all have saved: its request to the model was unnecessary. */
export interface SavedRound {
  readonly tokens: { readonly input: number; readonly output: number }
}

/** A conversation as the guard would have handled it. */
export interface Replayed {
  /** Turns and rounds with calls. */
  readonly turns: number
  readonly rounds: number
  readonly calls: ReadonlyArray<ReplayedCall>
  readonly saved: ReadonlyArray<SavedRound>
}
