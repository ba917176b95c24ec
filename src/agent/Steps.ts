/**
 * The steps of a run: model replies, calls, and questions to people. The rest of a run follows from their results, so
 * replaying the stored results leads to the same state.
 *
 * **Details**
 *
 * - `live` executes every step. A journal replays the steps that it contains, and executes all others.
 * - A step that was stopped from outside has no result: a resumed run executes it again.
 */
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { longestAnswer, type PersonAnswer } from "#domain/approval/PersonAnswer"
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { agreed } from "#pipeline/call/SafeEscalation"
import type { EscalationAnswer } from "#services/Escalation"
import type { ModelAnswer } from "#src/guard/Guard"
import type { EndDecision } from "./AgentEnd.ts"
import type { StoppableResult } from "./Stop.ts"

/** The model's messages, in which call ids are unique, or the failure of the request. */
export const Reply = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("Said"),
    said: Prompt.Prompt,
    finishReason: Response.FinishReason,
    inputTokens: Schema.Finite,
    outputTokens: Schema.Finite,
    /** The provider's name of the model that answered. */
    model: Schema.optionalKey(Schema.String),
    cachedInputTokens: Schema.optionalKey(Schema.Finite),
    cacheWriteTokens: Schema.optionalKey(Schema.Finite)
  }),
  Schema.Struct({ _tag: Schema.Literal("Failed"), error: AiError.AiError })
])
export type Reply = typeof Reply.Type

/** Identifies a call of a run. */
export interface CallStep {
  readonly round: number
  readonly callId: string
  readonly tool: string
}

/**
 * `new`, or `resumed` if an earlier process may have started the call, or `changed` if its tool has also changed since
 * then. Undefined without a journal.
 */
export type CallState = "new" | "resumed" | "changed" | undefined

/** The result of a call. */
export type CallResult<R> = StoppableResult<ModelAnswer> | WaitingCall<R>

/** A call that waits for a person, in a run that suspends. */
export interface WaitingCall<R> {
  readonly _tag: "Waiting"
  readonly isDecided: Effect.Effect<boolean>
  /** Suspends the run until the decision. */
  readonly decided: Effect.Effect<void>
  /** Repeats the call with the decision. */
  readonly again: Effect.Effect<CallResult<R>, never, R>
}

/**
 * A person's decision about the run. On `Yes`, the run continues, and the model reads the `answer`, if there is one.
 */
export type PersonDecision = { readonly _tag: "Yes"; readonly answer?: PersonAnswer } | { readonly _tag: "No" }

/** A person's decision, or `Later` if the person was asked and has not decided yet. */
export type AskedPerson = PersonDecision | { readonly _tag: "Later"; readonly approvalUrl: string | undefined }

/** Returns the decision in a person's answer. Consumes an approval; an approval that was used before does not count. */
export const decisionOf = (answer: EscalationAnswer): Effect.Effect<AskedPerson> => {
  switch (answer._tag) {
    case "Pending":
      return Effect.succeed({ _tag: "Later", approvalUrl: answer.approvalUrl })
    case "Answered":
      return Effect.succeed({ _tag: "Yes", answer: { by: answer.by, text: answer.text.slice(0, longestAnswer) } })
    default:
      return Effect.map(agreed(answer), (isAgreed) => ({ _tag: isAgreed ? "Yes" : "No" }))
  }
}

/** Returns the decision of a person. A missing decision counts as No. */
export const decisionNow = (asked: AskedPerson): PersonDecision => (asked._tag === "Later" ? { _tag: "No" } : asked)

export interface Steps {
  /** True if a decision that is made after the run has stopped still counts, because the run can be resumed. */
  readonly isOpen: boolean
  /**
   * How a step that is due while the process shuts down is handled: `refuse` answers a call as not made, `leave` leaves
   * the step to the resumed run and ends the run, and `handOver` leaves the step without an end of the run, until the
   * process releases the run.
   */
  readonly atShutdown: "refuse" | "leave" | { readonly handOver: Effect.Effect<never> }
  readonly reply: <R>(
    round: number,
    ask: Effect.Effect<StoppableResult<Reply>, never, R>
  ) => Effect.Effect<StoppableResult<Reply>, never, R>
  /** Makes a call. `settled` is a person's finding about an earlier execution whose side effect was unknown. */
  readonly call: <R>(
    step: CallStep,
    make: (state: CallState, settled?: UnknownOutcome) => Effect.Effect<StoppableResult<ModelAnswer>, never, R>
  ) => Effect.Effect<CallResult<R>, never, R>
  /** Stores a result that is to be shortened, and returns its address; undefined if it could not be stored. */
  readonly keep: (callId: string, keep: Effect.Effect<string | undefined>) => Effect.Effect<string | undefined>
  /**
   * Asks a person whether the run may continue. A journal stores only approvals, so a refused question is asked again.
   */
  readonly ask: (question: string, ask: Effect.Effect<AskedPerson>) => Effect.Effect<PersonDecision>
  /** Notifies a person about a round, without a question. */
  readonly notify: (notice: string, round: number, notify: Effect.Effect<void>) => Effect.Effect<void>
  /** Decides whether a round ends the run. If an ended run is resumed, its stored end no longer ends the run. */
  readonly end: (
    round: number,
    decide: Effect.Effect<EndDecision | undefined>
  ) => Effect.Effect<EndDecision | undefined>
}

/** Executes every step. */
export const live: Steps = {
  isOpen: false,
  atShutdown: "refuse",
  reply: (_, ask) => ask,
  call: (_, make) => make(undefined),
  keep: (_, keep) => keep,
  ask: (_, ask) => Effect.map(ask, decisionNow),
  notify: (_notice, _round, notify) => notify,
  end: (_, decide) => decide
}
