/**
 * Provides a `LanguageModel` for tests: it answers each request with the next entry of a script, or by a function.
 *
 * - An entry is a text, a call, a list of texts, calls and response parts, an error, or a function of the conversation
 *   that returns one of these, directly or as an effect.
 * - The finish reason is `tool-calls` if the answer has calls, otherwise `stop`; token counts are the number of
 *   characters divided by 4, rounded up. An entry with a finish part (`finish`) sets both.
 * - Requests after the end of the script fail with an `AiError` that says so and is not retryable.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as PlayedModel from "#layers/internal/model/PlayedModel"

/** A call of the script, created by `call`. */
export interface Call {
  readonly _tag: "Call"
  readonly name: string
  readonly arguments: unknown
  readonly id: string | undefined
}

/** A part of an answer; a string is a text part. */
export type Part = string | Call | Response.PartEncoded

/** One answer of the model. */
export type Answer = string | Call | ReadonlyArray<Part>

/** Returns an answer for the conversation of a request and the request's number (from 0). */
export type Responder = (prompt: Prompt.Prompt, index: number) => Answer | Effect.Effect<Answer, AiError.AiError>

/** One entry of a script. */
export type Entry = Answer | AiError.AiError | Responder

/** A list of entries, or one function that answers every request. */
export type Script = ReadonlyArray<Entry> | Responder

/**
 * Creates a call of a tool. A string in `args` is the text that the model wrote, malformed or not; any other value is
 * sent unchanged. Without `id`, the call gets an id that is unique in the script, `call_REQUEST_POSITION` (both from
 * 1).
 */
export const call = (name: string, args: unknown, id?: string): Call => ({ _tag: "Call", name, arguments: args, id })

/** Creates a finish part, which sets the finish reason and the token counts. */
export const finish = (
  reason: Response.FinishReason,
  tokens: { readonly input?: number; readonly output?: number } = {}
): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: tokens.input }, outputTokens: { total: tokens.output } }
})

const isCall = (part: Part): part is Call => typeof part === "object" && "_tag" in part && part._tag === "Call"

const partOf = (part: Part, request: number, position: number): Response.PartEncoded => {
  if (typeof part === "string") return { type: "text", text: part }
  if (!isCall(part)) return part
  const { arguments: args, id = `call_${request + 1}_${position + 1}`, name } = part
  const { options, params } = typeof args === "string" ? CallArguments.read(args) : { options: {}, params: args }
  return { type: "tool-call", id, name, params, metadata: options }
}

const tokensOf = (characters: number): number => Math.ceil(characters / 4)

/**
 * The length of each message as a provider gets it. The messages of a conversation are the same objects in each
 * request.
 */
const lengths = new WeakMap<Prompt.Message, number>()

const lengthOf = (message: Prompt.Message): number => {
  const known = lengths.get(message)
  if (known !== undefined) return known
  const length = JSON.stringify(Transcript.toOpenAi(Prompt.fromMessages([message]))).length - "[]".length
  lengths.set(message, length)
  return length
}

/** Returns the length of the conversation as a list in JSON. */
const lengthOfAll = ({ content }: Prompt.Prompt): number =>
  content.reduce((sum, message) => sum + lengthOf(message) + 1, 1 + (content.length === 0 ? 1 : 0))

/** Returns the text that the model wrote in a part. */
const textOf = (part: Response.PartEncoded): string => {
  if (part.type === "tool-call") return part.name + CallArguments.textOf(part.params)
  return part.type === "text" || part.type === "reasoning" ? part.text : ""
}

/** Returns the parts of an answer. Adds a finish part if the answer has none. */
const partsOf = (answer: Answer, prompt: Prompt.Prompt, request: number): ReadonlyArray<Response.PartEncoded> => {
  const list: ReadonlyArray<Part> = typeof answer === "string" || "_tag" in answer ? [answer] : answer
  const parts = list.map((part, position) => partOf(part, request, position))
  if (parts.some(({ type }) => type === "finish")) return parts
  const reason = parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop"
  const usage = {
    input: tokensOf(lengthOfAll(prompt)),
    output: tokensOf(parts.map(textOf).join("").length)
  }
  return [...parts, finish(reason, usage)]
}

const exhausted = (length: number, index: number): AiError.AiError =>
  AiError.make({
    module: "ScriptedModel",
    method: "generateText",
    reason: new AiError.UnknownError({
      description: `The script has ${length === 1 ? "1 answer" : `${length} answers`}; there is none for request ${index + 1}.`
    })
  })

const answerOf = (script: Script, prompt: Prompt.Prompt, index: number): Effect.Effect<Answer, AiError.AiError> => {
  const entry = typeof script === "function" ? script : script[index]
  if (entry === undefined) return Effect.fail(exhausted(script.length, index))
  const answer = typeof entry === "function" ? entry(prompt, index) : entry
  if (Effect.isEffect(answer)) return answer
  return AiError.isAiError(answer) ? Effect.fail(answer) : Effect.succeed(answer)
}

/** A scripted model, and its requests. */
export interface ScriptedModel {
  readonly model: LanguageModel.LanguageModel
  /** The conversations of the requests, oldest first. */
  readonly prompts: Effect.Effect<ReadonlyArray<Prompt.Prompt>>
  readonly layer: Layer.Layer<LanguageModel.LanguageModel>
}

const playing =
  (script: Script, onPrompt: (prompt: Prompt.Prompt) => void): PlayedModel.Play =>
  ({ prompt }, index) => {
    onPrompt(prompt)
    return Effect.map(answerOf(script, prompt, index), (answer) => partsOf(answer, prompt, index))
  }

/** Creates a model that also returns the conversations of its requests, which it keeps. */
export const make = (script: Script): Effect.Effect<ScriptedModel> =>
  Effect.suspend(() => {
    const prompts: Array<Prompt.Prompt> = []
    const play = playing(script, (prompt) => void prompts.push(prompt))
    return Effect.map(PlayedModel.make(play), (model) => ({
      model,
      prompts: Effect.sync(() => [...prompts]),
      layer: Layer.succeed(LanguageModel.LanguageModel, model)
    }))
  })

/** Provides the model as a layer. It keeps no conversations. */
export const layer = (script: Script): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.suspend(() => PlayedModel.make(playing(script, () => {})))
  )
