/**
 * Plays recorded conversations as a `LanguageModel`, and records conversations.
 *
 * - A recording is a chat log in the chat completions format, one JSON object (a line of a JSON Lines file). Request k
 *   gets the k-th assistant message, counted from `first_answer` (default 0).
 * - Calls keep their recorded ids, even repeated ids, and their argument texts byte for byte, even malformed texts.
 * - `recorder` adds `finish_reason` and `usage` to assistant messages, and `is_error` to failed results; a log without
 *   these fields can be played too.
 *
 * **Gotchas**
 *
 * A recorder records one conversation. Failed requests are not recorded.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ModelResponse from "#domain/transcript/ModelResponse"
import * as Transcript from "#domain/transcript/Transcript"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import { finish, finishReason } from "#layers/internal/openai/Response"
import * as PlayedModel from "#layers/internal/model/PlayedModel"

/** A recorded conversation. */
export interface Recording {
  /** Chat completions messages. */
  readonly messages: ReadonlyArray<unknown>
  /** How many assistant messages precede the first recorded request. Default 0. */
  readonly first_answer?: number
}

const partsOf = (message: JsonObject): ReadonlyArray<Response.PartEncoded> => {
  const parts = Transcript.fromOpenAi([message]).content.flatMap(({ content, role }) =>
    role === "assistant" ? content : []
  )
  const answer = parts.flatMap((part): ReadonlyArray<Response.PartEncoded> => {
    if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, text: part.text }]
    if (part.type !== "tool-call") return []
    return [{ type: "tool-call", id: part.id, name: part.name, params: part.params, metadata: part.options }]
  })
  const hasCalls = answer.some(({ type }) => type === "tool-call")
  return [
    ...answer,
    finish(finishReason(Fields.string(message["finish_reason"]), hasCalls ? "complete" : "none"), message["usage"])
  ]
}

/** Creates a model that plays a recording. Requests after its end fail with an `AiError` that says so. */
export const make = ({ first_answer = 0, messages }: Recording): Effect.Effect<LanguageModel.LanguageModel> => {
  const answers = messages
    .map(Fields.of)
    .filter(({ role }) => role === "assistant")
    .slice(first_answer)
  return PlayedModel.make((_, index) => {
    const answer = answers[index]
    if (answer !== undefined) return Effect.sync(() => partsOf(answer))
    const description = `The recording has ${answers.length === 1 ? "1 answer" : `${answers.length} answers`}; there is none for request ${index + 1}.`
    const reason = new AiError.UnknownError({ description })
    return Effect.fail(AiError.make({ module: "RecordedModel", method: "generateText", reason }))
  })
}

/** Provides a model that plays a recording, as a layer. */
export const layer = (recording: Recording): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(LanguageModel.LanguageModel, make(recording))

/** A model whose conversation is recorded, and the recording so far. */
export interface Recorder {
  readonly model: LanguageModel.LanguageModel
  readonly recording: Effect.Effect<Recording>
}

/** Converts a conversation to messages, with failed results marked. */
const messagesOf = (prompt: Prompt.Prompt): ReadonlyArray<JsonObject> => {
  const failed = new Set(
    prompt.content.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" && part.isFailure ? [part.id] : []))
        : []
    )
  )
  return Transcript.toOpenAi(prompt).map((message) =>
    Fields.of(
      message.role === "tool" && failed.has(message.tool_call_id)
        ? Object.assign({}, message, { is_error: true })
        : message
    )
  )
}

const finishReasons: Partial<Record<Response.FinishReason, string>> = {
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

/** Converts an answer to a message of the log. */
const messageOf = (parts: ReadonlyArray<Response.AnyPart>): JsonObject => {
  const [message = { role: "assistant", content: null }] = messagesOf(Prompt.fromResponseParts(parts))
  const end = parts.findLast((part) => part.type === "finish")
  if (end === undefined) return message
  const { inputTokens, outputTokens } = end.usage
  return {
    ...message,
    finish_reason: finishReasons[end.reason] ?? end.reason,
    usage: { prompt_tokens: inputTokens.total, completion_tokens: outputTokens.total }
  }
}

/** The methods of a model without the types of tools, which the recorder does not read. */
interface Methods {
  readonly generateText: (options: Options) => Effect.Effect<Answer, unknown, unknown>
  readonly generateObject: (options: Options) => Effect.Effect<Answer, unknown, unknown>
  readonly streamText: (options: Options) => Stream.Stream<Response.AnyPart, unknown, unknown>
}
interface Options {
  readonly prompt: Prompt.RawInput
}
interface Answer {
  readonly content: ReadonlyArray<Response.AnyPart>
}

/** Wraps a model so that its conversation is recorded. */
export const recorder = (model: LanguageModel.LanguageModel): Effect.Effect<Recorder> =>
  Effect.sync(() => {
    const messages: Array<JsonObject> = []
    let firstAnswer: number | undefined
    const record = ({ prompt }: Options, parts: ReadonlyArray<Response.AnyPart>) =>
      Effect.sync(() => {
        const sent = messagesOf(Prompt.make(prompt))
        const isAnswer = ({ role }: JsonObject) => role === "assistant"
        const known = firstAnswer === undefined ? 0 : sent.findLastIndex(isAnswer) + 1
        firstAnswer ??= sent.filter(isAnswer).length
        messages.push(...sent.slice(known), messageOf(parts))
      })

    // a generic method is not assignable to a method without type parameters, although both accept the same options
    const inner = model as unknown as Methods
    const recorded: Methods = {
      generateText: (options) => Effect.tap(inner.generateText(options), ({ content }) => record(options, content)),
      generateObject: (options) => Effect.tap(inner.generateObject(options), ({ content }) => record(options, content)),
      streamText: (options) =>
        Stream.suspend(() => {
          const pieces: Array<Response.AnyPart> = []
          return inner.streamText(options).pipe(
            Stream.tap((piece) => Effect.sync(() => pieces.push(piece))),
            Stream.concat(Stream.fromEffectDrain(Effect.suspend(() => record(options, ModelResponse.collect(pieces)))))
          )
        })
    }
    return {
      // each answer comes from the recorded model, given the same options
      model: { ...model, ...recorded } as unknown as LanguageModel.LanguageModel,
      recording: Effect.sync(() => ({ messages: [...messages], first_answer: firstAnswer ?? 0 }))
    }
  })
