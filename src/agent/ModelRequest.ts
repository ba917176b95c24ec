/**
 * One request to the model, in a fiber of its own: a layer that dies, interrupts itself or does not let itself be
 * interrupted takes no run with it.
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

type Answer = Result.Result<Parts, AiError.AiError>

/** Asks the model. Where this is interrupted, the request is too, but not waited for; what it says later is not heard. */
export const make = <Tools extends AnyTool>(
  context: RoundContext<Tools>
): Effect.Effect<Answer, never, LanguageModel.LanguageModel> =>
  Effect.flatMap(Effect.context<LanguageModel.LanguageModel>(), (services) =>
    Effect.callback<Answer>((resume) => {
      let isHeard = true
      const { emit, round } = context
      const heard = (event: AgentEvent) => Effect.suspend(() => (isHeard ? emit(event) : Effect.void))
      const asked = Effect.provideService(request(context, heard), ModelObserver, (event) => heard({ ...event, round }))
      const asking = Effect.catchDefect(asked, (defect) => Effect.fail(broken(`died: ${String(defect).slice(0, 200)}`)))
      const fiber = Effect.runForkWith(services)(Effect.result(asking))
      fiber.addObserver((exit) => {
        resume(Effect.succeed(Exit.isSuccess(exit) ? exit.value : Result.fail(broken("interrupted itself"))))
      })
      return Effect.sync(() => {
        isHeard = false
        fiber.interruptUnsafe()
      })
    })
  )

type Emit = (event: AgentEvent) => Effect.Effect<void>

/**
 * What the model answers; what it streams is told piece by piece.
 *
 * A stream that breaks after its text was told is asked for again, as a whole: that text is withdrawn first, so that nobody
 * reads it twice. What broke before is the model's layer to try again (`ModelPolicy`), as is the request as a whole.
 */
const request = <Tools extends AnyTool>(
  { offered, options, round, transcript }: RoundContext<Tools>,
  emit: Emit
): Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel> => {
  let isTold = false
  const tell = (delta: string): Effect.Effect<void> => {
    if (delta === "") return Effect.void
    isTold = true
    return emit({ _tag: "Text", round, delta })
  }
  const asked = {
    prompt: transcript,
    // the tools of a box that is a parameter: their names are known when it is called
    toolkit: offered.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool<string, typeof Schema.Unknown>>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  const whole = LanguageModel.generateText(asked).pipe(
    Effect.map(({ content }) => content as Parts),
    Effect.tap((parts) => tell(parts.map((part) => (part.type === "text" ? part.text : "")).join("")))
  )
  if (options.streaming !== true) return whole
  return LanguageModel.streamText(asked).pipe(
    Stream.tap((part) =>
      part.type === "text-delta"
        ? tell(part.delta)
        : part.type === "error"
          ? Effect.fail(streamFailed(part.error))
          : Effect.void
    ),
    Stream.runCollect,
    Effect.map((pieces) => ModelResponse.collect(pieces as Parts)),
    Effect.catchIf(
      (error) => isTold && ModelFailure.isTransient(error),
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

/** Providers that tell of a failure inside of the stream. */
const streamFailed = (error: unknown): AiError.AiError =>
  AiError.isAiError(error)
    ? error
    : AiError.make({
        module: "Agent",
        method: "streamText",
        reason: new AiError.InternalProviderError({ description: String(error).slice(0, 200) })
      })
