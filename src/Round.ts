/** One round: a request to the model, its calls run through the guard, and every call answered in order. */
import * as ModelResponse from "#domain/ModelResponse"
import * as Transcript from "#domain/Transcript"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Guard, ModelAnswer } from "./Guard.ts"
import { answerAll, type CallPart, type RoundContext, toolMessage } from "./RoundCalls.ts"
import * as Stop from "./Stop.ts"
import type { AiTool, AnyTool, RequirementsOf } from "./ToolClass.ts"

/** What a round cost. */
export interface Spent {
  readonly calls: number
  readonly attempts: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The answer to a call, and the name by which the model called. */
export type Answered = ModelAnswer & { readonly tool: string }

/** What a round came to. */
export interface Made {
  readonly transcript: Prompt.Prompt
  readonly spent: Spent
  readonly result:
    | { readonly _tag: "Said"; readonly text: string; readonly finishReason: Response.FinishReason }
    | { readonly _tag: "Called"; readonly answers: ReadonlyArray<Answered> }
    | { readonly _tag: "Failed"; readonly error: AiError.AiError }
    | Stop.Stopped
}

const nothing: Spent = { calls: 0, attempts: 0, inputTokens: 0, outputTokens: 0 }

type Parts = ReadonlyArray<Response.AnyPart>

/** Makes one round. */
export const make = <Tools extends AnyTool>(
  context: RoundContext<Tools>
): Effect.Effect<Made, never, LanguageModel.LanguageModel | RequirementsOf<Tools> | Guard> =>
  Effect.gen(function* () {
    const { stop, transcript } = context
    const asked = yield* Stop.until(stop, request(context))
    if (asked._tag !== "Done") return { transcript, spent: nothing, result: asked }
    if (asked.value._tag === "Failure") {
      return { transcript, spent: nothing, result: { _tag: "Failed", error: asked.value.failure } }
    }
    const { parts } = Transcript.freshIds(asked.value.success, Transcript.callIds(transcript))
    const said = Prompt.concat(transcript, Prompt.fromResponseParts(parts))
    const calls = parts.filter((part): part is CallPart => part.type === "tool-call" && !part.providerExecuted)
    const finish = parts.findLast((part) => part.type === "finish")
    const spent = {
      calls: calls.length,
      attempts: 0,
      inputTokens: finish?.usage.inputTokens.total ?? 0,
      outputTokens: finish?.usage.outputTokens.total ?? 0
    }
    const finishReason = finish?.reason ?? "unknown"
    if (calls.length === 0)
      return { transcript: said, spent, result: { _tag: "Said", text: textOf(parts), finishReason } }
    const cutId = finishReason === "length" ? calls.at(-1)?.id : undefined
    const answers = yield* answerAll(context, calls, cutId)
    return {
      transcript: Prompt.concat(said, [toolMessage(calls, answers)]),
      spent: { ...spent, attempts: answers.reduce((sum, { attempts }) => sum + attempts, 0) },
      result: { _tag: "Called", answers: named(calls, answers) }
    }
  })

const named = (calls: ReadonlyArray<CallPart>, answers: ReadonlyArray<ModelAnswer>): ReadonlyArray<Answered> =>
  answers.map((answer, index) => ({ ...answer, tool: calls[index]?.name ?? "" }))

const textOf = (parts: Parts): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("")

/** Asks the model; what it streams is told piece by piece. */
const request = <Tools extends AnyTool>({ emit, options, round, transcript }: RoundContext<Tools>) => {
  const asked = {
    prompt: transcript,
    toolkit: options.tools.toolkit as unknown as Toolkit.Toolkit<Record<string, AiTool<string, typeof Schema.Unknown>>>,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  } as const
  const tell = (delta: string) => emit({ _tag: "Text", round, delta })
  const parts: Effect.Effect<Parts, AiError.AiError, LanguageModel.LanguageModel> =
    options.streaming === true
      ? LanguageModel.streamText(asked).pipe(
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
      : LanguageModel.generateText(asked).pipe(
          Effect.map(({ content }) => content as Parts),
          Effect.tap((content) => (textOf(content) === "" ? Effect.void : tell(textOf(content))))
        )
  return Effect.result(Effect.catchDefect(parts, (defect) => Effect.fail(requestDied(defect))))
}

/** A provider layer that dies must not take the run with it. */
const requestDied = (defect: unknown): AiError.AiError =>
  AiError.make({
    module: "Agent",
    method: "generateText",
    reason: new AiError.UnknownError({ description: `The model's layer died: ${String(defect).slice(0, 200)}` })
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
