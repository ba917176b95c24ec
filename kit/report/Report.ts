/**
 * What a replay found, as data: the one object behind the text, the JSON and the page.
 *
 * Made of the log and nothing else: the same files give the same report, byte for byte. Lists are bounded, and say how
 * many there were in all.
 */
import type { Saving } from "effect-toolguard/internal/domain/call/CallTally"
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"

/** Where a call stands: `explain` takes it as `FILE:LINE#CALL`. */
export interface CallPlace {
  readonly file: string
  readonly line: number
  readonly conversation: string
  /** From 1, within the conversation. */
  readonly call: number
}

export interface Totals {
  readonly conversations: number
  readonly turns: number
  readonly rounds: number
  readonly calls: number
  /** Calls whose answer the log does not hold. */
  readonly unanswered: number
  /** Calls whose recorded answer was a result, whole or in part. */
  readonly succeeded: number
  readonly partial: number
  readonly failed: number
}

/** Failures of one tool and class: what the log shows, and what the guard says of calls that it lets through. */
export interface FailureRow {
  readonly tool: string
  readonly class: FailureTag
  readonly code: string
  readonly count: number
  readonly first: CallPlace
}

/** What the guard spared, at least: calls that it makes no more, and rounds in which it makes none at all. */
export interface Saved {
  readonly calls: number
  readonly byReason: Readonly<Record<Saving, number>>
  readonly rounds: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In dollars; null where no price was given. */
  readonly money: number | null
}

/** Identical calls: the same tool with the same arguments within a turn. */
export interface Repeats {
  readonly calls: number
  /** Of these, calls whose answer was the same as before. */
  readonly sameAnswer: number
  /** Longest run of identical calls, one after the other. */
  readonly longestRun: number
  readonly groups: Bounded<RepeatRow>
}

/** Calls of one turn that are identical. */
export interface RepeatRow extends Omit<CallPlace, "call"> {
  readonly tool: string
  /** Their numbers, at most 20. */
  readonly calls: ReadonlyArray<number>
  /** How many there are in all, the first one included. */
  readonly count: number
  /** How many different answers they got. */
  readonly answers: number
}

export interface LoopRow extends Omit<CallPlace, "call"> {
  readonly tool: string
  readonly pattern: LoopPattern
  readonly turn: number
  /** Numbers of the calls that the guard stops, or at which the run ends; at most 20. */
  readonly calls: ReadonlyArray<number>
  /** How many there are in all. */
  readonly count: number
}

/** How a schema would be loosened so that what was refused passes. */
export type Suggestion =
  | { readonly _tag: "keep" }
  | { readonly _tag: "nullable" }
  | { readonly _tag: "optional" }
  | { readonly _tag: "wider enum"; readonly values: ReadonlyArray<string> }
  | { readonly _tag: "wider bound"; readonly expected: string }
  | { readonly _tag: "wider type"; readonly type: string }
  | { readonly _tag: "open object" }

/** A field that calls broke: why, how often, what for, and whether the tool took it all the same. */
export interface RejectedField {
  readonly tool: string
  readonly path: string
  readonly problem: string
  readonly count: number
  /** Of these, calls that the tool answered without an error. */
  readonly accepted: number
  /** What was sent there, redacted; at most three different values. */
  readonly examples: ReadonlyArray<{ readonly sent: string; readonly at: CallPlace }>
  readonly suggestion: Suggestion
}

export interface Suspect extends CallPlace {
  readonly tool: string
  readonly reason: Saving
  /** The beginning of the answer that the log has and the guard would not have fetched, redacted. */
  readonly missed: string
}

export interface RepairRow {
  readonly tool: string
  readonly class: FailureTag
  readonly model: string
  readonly failures: number
  /** Failures after which the model's next call of that tool succeeded. */
  readonly repaired: number
}

export interface ToolRow {
  readonly tool: string
  readonly calls: number
  readonly failed: number
  readonly refused: number
  readonly saved: number
}

/** A constraint of a tool's schema that was not checked. */
export interface UncheckedRow {
  readonly tool: string
  readonly pointer: string
  readonly reason: string
}

export interface SkippedRow {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** One call of a conversation that is shown, its texts redacted and cut. */
export interface CallDetail {
  readonly call: number
  readonly turn: number
  readonly round: number
  readonly tool: string
  readonly arguments: string
  /** `ran`, `answered from memory`, `refused`, `loop` … */
  readonly verdict: string
  /** Why, or what failed; empty where all went well. */
  readonly detail: string
  readonly answer: string
  readonly isSuspect: boolean
}

export interface ConversationDetail {
  readonly file: string
  readonly line: number
  readonly conversation: string
  readonly model: string
  /** How many calls it has in all. */
  readonly count: number
  readonly failed: number
  readonly saved: number
  /** At most 200, those in which something was found before others, in their order. */
  readonly calls: ReadonlyArray<CallDetail>
}

/** A list that holds the first of what there is. */
export interface Bounded<A> {
  readonly total: number
  readonly shown: ReadonlyArray<A>
}

export interface Report {
  readonly version: 1
  readonly files: ReadonlyArray<{ readonly file: string; readonly conversations: number; readonly calls: number }>
  readonly totals: Totals
  readonly failures: ReadonlyArray<FailureRow>
  readonly refused: ReadonlyArray<{ readonly code: string; readonly count: number }>
  readonly repeats: Repeats
  readonly loops: Bounded<LoopRow>
  readonly saved: Saved
  /** Calls that the guard would have put before a person, by tool. */
  readonly asked: ReadonlyArray<{ readonly tool: string; readonly count: number }>
  readonly rejected: ReadonlyArray<RejectedField>
  readonly suspects: Bounded<Suspect>
  readonly repair: ReadonlyArray<RepairRow>
  readonly tools: ReadonlyArray<ToolRow>
  readonly unchecked: Bounded<UncheckedRow>
  readonly skipped: Bounded<SkippedRow>
  /** Conversations in which something was found, the most telling first. */
  readonly conversations: Bounded<ConversationDetail>
}
