/**
 * The steps of a run: what the model replied, what a call came to, what a person agreed to. Everything else that a run
 * does follows from them, so that a run which gives each step its former result comes to the same place again.
 *
 * **Details**
 *
 * - `live` makes every step. A journal gives those again that it holds, and makes and writes down the others.
 * - What was stopped from outside has no result and is no step: a run that is resumed makes it then.
 */
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelAnswer } from "#src/guard/Guard"
import type { Decided } from "./AgentEnd.ts"
import type { Within } from "./Stop.ts"

/** What the model answered: its messages, their calls with ids of their own; or why it could not be asked. */
export const Reply = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("Said"),
    said: Prompt.Prompt,
    finishReason: Response.FinishReason,
    inputTokens: Schema.Finite,
    outputTokens: Schema.Finite,
    /** Who answered, as the provider calls it. */
    model: Schema.optionalKey(Schema.String),
    cachedInputTokens: Schema.optionalKey(Schema.Finite),
    cacheWriteTokens: Schema.optionalKey(Schema.Finite)
  }),
  Schema.Struct({ _tag: Schema.Literal("Failed"), error: AiError.AiError })
])
export type Reply = typeof Reply.Type

/** Which call of a run. */
export interface CallStep {
  readonly round: number
  readonly callId: string
  readonly tool: string
}

/**
 * `new`, or begun before by a process that died, with its tool as it was or `changed`; absent where no journal is kept.
 */
export type CallState = "new" | "resumed" | "changed" | undefined

/** What a call came to. */
export type Called<R> = Within<ModelAnswer> | Waiting<R>

/** A call that waits for a person, in a run that waits with it. */
export interface Waiting<R> {
  readonly _tag: "Waiting"
  readonly isDecided: Effect.Effect<boolean>
  /** Suspends the run until the decision. */
  readonly decided: Effect.Effect<void>
  /** Makes the call again, with the decision. */
  readonly again: Effect.Effect<Called<R>, never, R>
}

/** What a person said about the run. `Later`: one has been asked, and has not decided. */
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
  /** Where the whole of a call's result was kept, once it was shortened; undefined where it could not be. */
  readonly kept: (callId: string, keep: Effect.Effect<string | undefined>) => Effect.Effect<string | undefined>
  /** What a person said about the run. A journal keeps only a yes: who said no may be asked again. */
  readonly agreed: (question: string, ask: Effect.Effect<Said>) => Effect.Effect<boolean>
  /** What a person is told about a round, and answers nothing to. */
  readonly told: (notice: string, round: number, tell: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether a round ended the run. A run that is resumed after its end goes on from there. */
  readonly ended: (round: number, decide: Effect.Effect<Decided | undefined>) => Effect.Effect<Decided | undefined>
}

/** Makes every step. */
export const live: Steps = {
  reply: (_, ask) => ask,
  call: (_, make) => make(undefined),
  kept: (_, keep) => keep,
  agreed: (_, ask) => Effect.map(ask, isYes),
  told: (_notice, _round, tell) => tell,
  ended: (_, decide) => decide
}
