/**
 * The steps of a run: the model's replies, the outcomes of calls, the decisions of people. Everything else in a run follows
 * from them, so that replaying each step with its stored result leads to the same state.
 *
 * **Details**
 *
 * - `live` executes every step. A journal replays the steps that it holds, and executes and writes the others.
 * - An execution that was stopped from outside has no result and is not a step: a resumed run executes it.
 */
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelAnswer } from "#src/guard/Guard"
import type { Decided } from "./AgentEnd.ts"
import type { Within } from "./Stop.ts"

/** The model's messages, whose calls have unique ids; or why the request failed. */
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
 * `new`; or possibly started by a process that died: `resumed`, or `changed` if its tool has changed since. Undefined without
 * a journal.
 */
export type CallState = "new" | "resumed" | "changed" | undefined

/** The result of a call. */
export type Called<R> = Within<ModelAnswer> | Waiting<R>

/** A call that waits for a person, in a run that suspends. */
export interface Waiting<R> {
  readonly _tag: "Waiting"
  readonly isDecided: Effect.Effect<boolean>
  /** Suspends the run until the decision. */
  readonly decided: Effect.Effect<void>
  /** Repeats the call with the decision. */
  readonly again: Effect.Effect<Called<R>, never, R>
}

/** A person's decision about the run. `Later`: a person was asked and has not decided. */
export type Said =
  | { readonly _tag: "Yes" }
  | { readonly _tag: "No" }
  | { readonly _tag: "Later"; readonly approvalUrl: string | undefined }

export const isYes = ({ _tag }: Said): boolean => _tag === "Yes"

export interface Steps {
  readonly reply: <R>(
    round: number,
    ask: Effect.Effect<Within<Reply>, never, R>
  ) => Effect.Effect<Within<Reply>, never, R>
  readonly call: <R>(
    step: CallStep,
    make: (state: CallState) => Effect.Effect<Within<ModelAnswer>, never, R>
  ) => Effect.Effect<Called<R>, never, R>
  /** Stores the whole result of a shortened call and returns its address; undefined if it could not be stored. */
  readonly kept: (callId: string, keep: Effect.Effect<string | undefined>) => Effect.Effect<string | undefined>
  /** Asks a person about the run. A journal stores only a yes: after a no, the person may be asked again. */
  readonly agreed: (question: string, ask: Effect.Effect<Said>) => Effect.Effect<boolean>
  /** Notifies a person about a round, without a question. */
  readonly told: (notice: string, round: number, tell: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether a round ended the run. A run that is resumed after its end continues from there. */
  readonly ended: (round: number, decide: Effect.Effect<Decided | undefined>) => Effect.Effect<Decided | undefined>
}

/** Executes every step. */
export const live: Steps = {
  reply: (_, ask) => ask,
  call: (_, make) => make(undefined),
  kept: (_, keep) => keep,
  agreed: (_, ask) => Effect.map(ask, isYes),
  told: (_notice, _round, tell) => tell,
  ended: (_, decide) => decide
}
