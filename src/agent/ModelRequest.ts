/**
 * Sends one request to the model, in a separate fiber: a layer that dies or interrupts itself does not end the run, and
 * a layer that ignores interruption does not delay it.
 */
import * as ModelFailure from "#domain/classification/ModelFailure"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import { ModelObserver } from "#services/ModelObserver"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "./AgentEvent.ts"
import type { RoundContext } from "./RoundCalls.ts"
import type { AiTool, AnyTool } from "#src/tool/ToolClass"

export type Parts = ReadonlyArray<Response.AnyPart>

type ModelResult = Result.Result<Parts, AiError.AiError>

/** Asks the model. Interruption interrupts the request without waiting for it; a late response is ignored. */
export const make = <Tools extends AnyTool>(
  context: RoundContext<Tools>
): Effect.Effect<ModelResult, never, LanguageModel.LanguageModel> =>
  Effect.flatMap(Effect.context<LanguageModel.LanguageModel>(), (services) =>
    Effect.callback<ModelResult>((resume) => {
      let isActive = true
      const { emit, round } = context
      const emitWhileActive = (event: AgentEvent) => Effect.suspend(() => (isActive ? emit(event) : Effect.void))
      const observed = Effect.provideService(request(context, emitWhileActive), ModelObserver, (event) =>
        emitWhileActive({ ...event, round })
      )
      const asking = Effect.catchDefect(observed, (defect) =>
        Effect.fail(broken(`died: ${String(defect).slice(0, 200)}`))
      )
      const fiber = Effect.runForkWith(services)(Effect.result(asking))
      fiber.addObserver((exit) => {
        resume(Effect.succeed(Exit.isSuccess(exit) ? exit.value : Result.fail(broken("interrupted itself"))))
      })
      return Effect.sync(() => {
        isActive = false
        fiber.interruptUnsafe()
      })
    })
  )

type Emitter = (event: AgentEvent) => Effect.Effect<void>

/**
 * Returns the model's response, and emits its text: in pieces if the response is streamed, otherwise as a whole.
 *
 * If a stream breaks after text was emitted, that text is withdrawn and the whole response is requested again, so that
 * user interfaces do not show the text twice. The model's layer retries requests that fail before the first text
 * (`ModelPolicy`).
 */
const request = <Tools extends AnyTool>(
  { offered, options, round, transcript }: RoundContext<Tools>,
  emit: Emitter
): Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel> => {
  let hasText = false
  const emitText = (delta: string): Effect.Effect<void> => {
    if (delta === "") return Effect.void
    hasText = true
    return emit({ _tag: "Text", round, delta })
  }
  const settings = {
    prompt: transcript,
    // the toolbox is a type parameter, so the names of its tools are known only at run time
    toolkit: offered.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool<string, typeof Schema.Unknown>>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  // the static type of the parts depends on tools that are known only at run time
  const whole = LanguageModel.generateText(settings).pipe(
    Effect.map(({ content }) => content as Parts),
    Effect.tap((parts) => emitText(parts.map((part) => (part.type === "text" ? part.text : "")).join("")))
  )
  if (options.streaming !== true) return whole
  return LanguageModel.streamText(settings).pipe(
    Stream.tap((part) =>
      part.type === "text-delta"
        ? emitText(part.delta)
        : part.type === "error"
          ? Effect.fail(streamFailed(part.error))
          : Effect.void
    ),
    Stream.runCollect,
    Effect.map((pieces) => ModelResponse.collect(pieces as Parts)),
    Effect.catchIf(
      (error) => hasText && ModelFailure.isTransient(error),
      () => Effect.andThen(emit({ _tag: "TextWithdrawn", round }), whole)
    )
  )
}

const broken = (what: string): AiError.AiError =>
  AiError.make({
    module: "Agent",
    method: "generateText",
    reason: new AiError.UnknownError({ description: `The model's layer ${what}` })
  })

/** Converts the failure that a provider reports inside its stream. */
const streamFailed = (error: unknown): AiError.AiError =>
  AiError.isAiError(error)
    ? error
    : AiError.make({
        module: "Agent",
        method: "streamText",
        reason: new AiError.InternalProviderError({ description: String(error).slice(0, 200) })
      })
