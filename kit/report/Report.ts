/**
 * Describes the findings of a replay as data, from which the text report, the JSON and the page are rendered.
 *
 * The report depends only on the log and the options. The same input yields the same report, byte for byte. A bounded
 * list states its full length.
 */
import type { Saving } from "effect-toolguard/internal/domain/call/CallTally"
import type { Suggestion } from "effect-toolguard/internal/domain/faults/Suggestion"
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Change } from "./Changes.ts"
import type { CallDetail, ConversationDetail } from "./ConversationDetail.ts"
import type { LengthRow } from "./Lengths.ts"
import type { RepairRow } from "./Repairs.ts"
import type { RolloutRow } from "./Rollout.ts"
import type { StrictTool } from "./StrictTools.ts"
import type { BoundedList } from "./Tables.ts"
import type { TimeAxis } from "./TimeAxis.ts"

export type { BoundedList, CallDetail, ConversationDetail, LengthRow, RepairRow, StrictTool, TimeAxis }

/** The position of a call, which `explain` accepts as `FILE:LINE#CALL`. */
export interface CallPlace {
  readonly file: string
  readonly line: number
  readonly conversation: string
  /** The number of the call within the conversation, from 1. */
  readonly call: number
}

/** The numbers of conversations, turns, rounds and calls in all files. */
export interface Totals {
  readonly conversations: number
  readonly turns: number
  readonly rounds: number
  readonly calls: number
  /** The number of calls without an answer in the log. */
  readonly unanswered: number
  /** The number of calls whose answer the log has in a user message, as older programs sent it. */
  readonly fromUserMessages: number
  /** The number of calls whose recorded answer was a complete result. `partial` counts incomplete results. */
  readonly succeeded: number
  readonly partial: number
  /** The number of calls whose recorded answer was a failure or violated the enforced schema of the tool's results. */
  readonly failed: number
  /** The number of calls that ended with a declared refusal [3.5]. They do not count as failed. */
  readonly declared: number
  /**
   * The number of calls with a failure that the guard found and did not enforce. Their records are from a shadow or
   * from a tool that only advises, or this replay only advises.
   */
  readonly notEnforced: number
  /** The tokens of the requests to the model that made the calls, as logged, otherwise estimated. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/**
 * Counts the calls by the guard's decision about them. Each call is counted once. `failures` has the calls that are
 * partial, failed, refused or unanswered here.
 */
export interface GuardDecisions {
  readonly succeeded: number
  readonly partial: number
  readonly failed: number
  readonly refused: number
  readonly declared: number
  readonly saved: number
  readonly unanswered: number
}

/** Counts the refusals that a tool declares, by code, among the calls that the guard would have made. */
export interface DeclaredRow {
  readonly tool: string
  readonly code: string
  readonly count: number
  readonly first: CallPlace
}

/** Counts failures with one tool, class and code, among the calls that the guard would have made or refused. */
export interface FailureRow {
  readonly tool: string
  readonly class: FailureTag
  readonly code: string
  readonly count: number
  readonly first: CallPlace
}

/** A lower bound of the savings by the guard: repeated calls, and rounds that consist only of such calls. */
interface Savings {
  readonly calls: number
  readonly byReason: Readonly<Record<Saving, number>>
  readonly rounds: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** The saved money in dollars, or `null` without prices. */
  readonly money: number | null
}

/** Counts identical calls, which call the same tool with the same arguments within a turn. */
export interface Repeats {
  readonly calls: number
  /** The number of repeated calls that returned the same answer as the previous identical call. */
  readonly sameAnswer: number
  /** The length of the longest sequence of identical calls. */
  readonly longestRun: number
  readonly groups: BoundedList<RepeatRow>
}

/** A group of identical calls of one turn. */
export interface RepeatRow extends Omit<CallPlace, "call"> {
  readonly tool: string
  /** The numbers of the first 20 calls. */
  readonly calls: ReadonlyArray<number>
  /** The number of all calls, including the first call. */
  readonly count: number
  /** The number of different answers. */
  readonly answers: number
}

/** A loop of one tool in one turn. */
export interface LoopRow extends Omit<CallPlace, "call"> {
  readonly tool: string
  readonly pattern: LoopPattern
  readonly turn: number
  /** The numbers of the first 20 calls that the guard would have blocked, or at which it would have ended the run. */
  readonly calls: ReadonlyArray<number>
  /** The number of all calls of the loop. `calls` lists only the first calls. */
  readonly count: number
}

/** Describes how values of a field violated the schema of the arguments or of the result, and how often. */
export interface RejectedField {
  readonly part: "arguments" | "result"
  readonly tool: string
  readonly path: string
  readonly problem: string
  readonly count: number
  /**
   * For arguments, the number of calls with such a value that the tool answered without an error. For results, the
   * number of calls that the next identical call of the turn did not repair.
   */
  readonly accepted: number
  /** Up to three different values of the field, redacted. */
  readonly examples: ReadonlyArray<{ readonly sent: string; readonly at: CallPlace }>
  readonly suggestion: Suggestion
  /** The reason for the suggestion, in one sentence. */
  readonly reason: string
  /**
   * The changed line of the schema: Effect source code, or JSON Schema for a tool whose schema is JSON Schema. Absent
   * if the schema is kept.
   */
  readonly line?: string
  /**
   * The number of rejected calls that would pass with this change alone, and together with the other changes of the
   * tool.
   */
  readonly passes: { readonly alone: number; readonly together: number }
  /** Present if a counted call may have further faults, because only the first fault of a large value is listed. */
  readonly passesIsUpperBound?: true
}

/** Counts the results of one tool that were checked against its schema. */
export interface ResultRow {
  readonly tool: string
  readonly checked: number
  /** The number of results that violate the schema. */
  readonly rejected: number
  /**
   * The number of rejected results whose calls count as failed in `totals`. The others are only reported, because their
   * tool advises.
   */
  readonly enforced: number
  /** The number of rejected results that are among `failures`, because the guard would have made their calls. */
  readonly failed: number
  /** The number of rejected results that would pass with all suggested changes. */
  readonly passes: number
  /** Present if a counted call may have further faults, because only the first fault of a large value is listed. */
  readonly passesIsUpperBound?: true
}

/** A call that the guard would have blocked, or before which it would have ended the run, although it worked. */
export interface Suspect extends CallPlace {
  readonly tool: string
  readonly reason: Change["reason"]
  /** The beginning of the logged answer that the guard would not have fetched, redacted. */
  readonly missed: string
  /** The number of the call with this answer: the suspect, or a later identical call. */
  readonly missedAt: number
}

/** A call at which the guard would have informed a person that the answers of a tool often violate its schema. */
export interface AlarmRow extends CallPlace {
  readonly tool: string
  /** The number of the call among the answers of the tool, from 1. */
  readonly answers: number
  /** The number of the last answers that were watched, and how many of them violated the schema. */
  readonly watched: number
  readonly broken: number
  /** The path of the most frequent fault; `""` for the whole answer. */
  readonly path: string
  /** The proposed line of the schema; `null` if it should be kept. */
  readonly proposed: string | null
}

/** Counts the calls of one tool, and what they cost. */
export interface ToolRow {
  readonly tool: string
  readonly calls: number
  readonly failed: number
  readonly refused: number
  readonly saved: number
  /** The tokens of the requests to the model that made the calls. Calls of one request share its tokens equally. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The estimated tokens of the tool's answers. */
  readonly answerTokens: number
  /** The price of the requests in dollars, or `null` without prices. */
  readonly money: number | null
}

/** A constraint of a tool's schema that cannot be checked. */
export interface UncheckedRow {
  readonly tool: string
  readonly pointer: string
  readonly reason: string
}

/** A line that was skipped or partly skipped. */
export interface SkippedRow {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** The complete report. */
export interface Report {
  readonly version: 1
  readonly files: ReadonlyArray<{ readonly file: string; readonly conversations: number; readonly calls: number }>
  readonly totals: Totals
  readonly guarded: GuardDecisions
  readonly failures: ReadonlyArray<FailureRow>
  readonly declared: ReadonlyArray<DeclaredRow>
  readonly refused: ReadonlyArray<{ readonly code: string; readonly count: number }>
  readonly repeats: Repeats
  readonly loops: BoundedList<LoopRow>
  readonly saved: Savings
  /** The number of calls that the guard would have asked a person to approve, by tool. */
  readonly asked: ReadonlyArray<{ readonly tool: string; readonly count: number }>
  readonly rejected: ReadonlyArray<RejectedField>
  readonly results: ReadonlyArray<ResultRow>
  readonly suspects: BoundedList<Suspect>
  /**
   * The calls at which the guard would have informed a person that the answers of a tool often violate its schema [15.1].
   */
  readonly alarms: BoundedList<AlarmRow>
  readonly repair: ReadonlyArray<RepairRow>
  /** The tools that enforce in a share of conversations, by name; empty if the log is not the guard's own. */
  readonly rollout: ReadonlyArray<RolloutRow>
  /** The tools, the most expensive first. */
  readonly tools: ReadonlyArray<ToolRow>
  /** What the guard would have changed, by reason. */
  readonly changes: ReadonlyArray<Change>
  /** The tools whose calls violated the schema of their arguments, by the number of such calls that worked. */
  readonly strict: ReadonlyArray<StrictTool>
  /** The calls over time, or `null` if the log has no times. */
  readonly time: TimeAxis | null
  /** The distributions of the calls of a conversation, and of the lengths of sequences of identical calls. */
  readonly lengths: { readonly conversations: ReadonlyArray<LengthRow>; readonly repeats: ReadonlyArray<LengthRow> }
  readonly unchecked: BoundedList<UncheckedRow>
  readonly skipped: BoundedList<SkippedRow>
  /** Conversations with a finding, the most significant first. */
  readonly conversations: BoundedList<ConversationDetail>
}

/**
 * Returns the folder that contains all files, so that rows need not repeat it. Returns `""` if the files share no
 * folder.
 */
export const sharedFolder = (files: Report["files"]): string => {
  const [first = "", ...rest] = files.map(({ file }) => file.slice(0, file.lastIndexOf("/") + 1))
  return rest.every((folder) => folder === first) ? first : ""
}
