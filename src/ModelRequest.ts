/**
 * One request to the model, in a fiber of its own: a layer that dies, interrupts itself or does not let itself be
 * interrupted takes no run with it.
 */
import * as ModelResponse from "#domain/ModelResponse"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { RoundContext } from "./RoundCalls.ts"
import type { AiTool, AnyTool } from "./ToolClass.ts"

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
      const tell = (delta: string) =>
        Effect.suspend(() => (isHeard && delta !== "" ? emit({ _tag: "Text", round, delta }) : Effect.void))
      const asking = Effect.catchDefect(request(context, tell), (defect) =>
        Effect.fail(broken(`died: ${String(defect).slice(0, 200)}`))
      )
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

/** What the model answers; what it streams is told piece by piece. */
const request = <Tools extends AnyTool>(
  { offered, options, transcript }: RoundContext<Tools>,
  tell: (delta: string) => Effect.Effect<void>
): Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel> => {
  const asked = {
    prompt: transcript,
    // the tools of a box that is a parameter: their names are known when it is called
    toolkit: offered.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool<string, typeof Schema.Unknown>>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  if (options.streaming !== true) {
    return LanguageModel.generateText(asked).pipe(
      Effect.map(({ content }) => content as Parts),
      Effect.tap((parts) => tell(parts.map((part) => (part.type === "text" ? part.text : "")).join("")))
    )
  }
  return LanguageModel.streamText(asked).pipe(
    Stream.tap((part) =>
      part.type === "text-delta"
        ? tell(part.delta)
        : part.type === "error"
          ? Effect.fail(streamFailed(part.error))
          : Effect.void
    ),
    Stream.runCollect,
    Effect.map((pieces) => ModelResponse.collect(pieces as Parts))
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
