/** Describes a replayed call: the decision of the guard, and the answer in the log. */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import type { Tally } from "effect-toolguard/internal/domain/call/CallTally"
import type { Failure } from "effect-toolguard/internal/domain/failure/Failure"
import type { Fault } from "effect-toolguard/internal/domain/faults/Fault"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type * as SchemaAST from "effect/SchemaAST"
import type { LoggedEnd } from "./RecordedOutcome.ts"
import type { LoggedAnswer } from "#kit/traffic/Timeline"

/** A new, successful answer in the log that the guard would not have got. */
export interface Contradiction {
  /** The number of the call with the answer: the suspect itself, or a later identical call. */
  readonly call: number
  readonly answer: string
}

/** The parts of a record of the guard that a report counts. */
export interface CountedRecord extends Pick<CallRecord, "enforcement" | "notEnforced"> {
  readonly outcome:
    | { readonly _tag: "Success" }
    | { readonly _tag: "Failure"; readonly failure: Pick<Failure, "_tag" | "code" | "detail"> }
}

/** A replayed call, with the log's answer, as a report counts it. */
export interface ReplayedCall {
  /** The number of the call within the conversation, from 1. */
  readonly number: number
  /** A text that is equal for identical calls. */
  readonly key: string
  readonly turn: number
  readonly round: number
  /** The share of the call in the tokens of the request to the model that made it. */
  readonly tokens: { readonly input: number; readonly output: number }
  readonly tool: string
  /** The arguments as the model wrote them. */
  readonly arguments: unknown
  /** The log's answer. It is `undefined` if the call was interrupted. */
  readonly answer: LoggedAnswer | undefined
  /**
   * The end of the call in the log, by the answer's content and by the tool's contract: an answer that violates the
   * contract is a failure. It is `undefined` without an answer.
   */
  readonly loggedEnd: LoggedEnd | undefined
  /** True if the log's answer states no failure, even if it violates the tool's contract. */
  readonly isAnswered: boolean
  /** The guard's record of the replayed call. */
  readonly record: CountedRecord
  readonly tally: Tally
  /**
   * The places where the arguments violate the tool's schema, even if the schema was not enforced, each with its place
   * in the schema.
   */
  readonly argumentFaults: ReadonlyArray<Fault>
  /** The schema that the arguments violate. It is `undefined` if the arguments have no faults. */
  readonly argumentSchema: SchemaAST.AST | undefined
  /** The faults of the log's answer. It is `undefined` if the answer was not checked against a contract. */
  readonly resultFaults: ReadonlyArray<Fault> | undefined
  /** The schema that the log's answer was checked against. */
  readonly resultSchema: SchemaAST.AST | undefined
  /**
   * The answer in the log that contradicts the guard, if it would have blocked the call or ended the run before it
   * although it worked. Such a call is a suspect (`StopReview`).
   */
  readonly contradiction: Contradiction | undefined
  /** The loop that the guard detected, at which it would have asked a person or ended the run. */
  readonly loop: { readonly pattern: LoopPattern; readonly count: number } | undefined
  /** True if a person would have been asked to approve the call. */
  readonly isAsked: boolean
}

/** A replayed call with everything that the guard decided, as `explain` shows it. */
export interface PlayedCall extends ReplayedCall {
  readonly record: CallRecord
  /** The places where the arguments violate the tool's schema, as the guard names them. */
  readonly issues: ReadonlyArray<ArgumentIssue>
}

/** A round whose request to the model was unnecessary, because the guard would have saved all its calls. */
export interface SavedRound {
  readonly tokens: { readonly input: number; readonly output: number }
}

/** A conversation as the guard would have handled it. */
export interface ReplayedConversation<Call extends ReplayedCall = ReplayedCall> {
  /** The number of turns with calls. `rounds` is the number of rounds with calls. */
  readonly turns: number
  readonly rounds: number
  readonly calls: ReadonlyArray<Call>
  readonly saved: ReadonlyArray<SavedRound>
}
