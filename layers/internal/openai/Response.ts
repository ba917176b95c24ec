/**
 * Reads a complete answer of the chat completions API as response parts.
 *
 * - A call whose arguments cannot be parsed keeps its id and name, with the text as its arguments: the guard reports the
 *   error. Empty and repeated ids are replaced [9.1].
 * - These variants are read too: `content` as a list of parts, arguments as an object, `function_call`, reasoning under
 *   either name.
 * - A refusal is text, marked in its metadata.
 */
import type * as Response from "effect/ai/Response"
import type * as AiError from "effect/ai/AiError"
import * as Result from "effect/Result"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as AnswerMetadata from "#layers/internal/model/AnswerMetadata"
import * as Failures from "#layers/internal/model/Failures"
import * as FinishReason from "#layers/internal/model/FinishReason"

const finishReasons: ReadonlyMap<string, Response.FinishReason> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content-filter"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["error", "error"],
  ["insufficient_system_resource", "error"]
])

/** Returns the finish reason as effect/ai names it. `reason` is empty if the server sent none. */
export const finishReason = (reason: string, calls: FinishReason.Calls): Response.FinishReason =>
  FinishReason.of(finishReasons, reason, calls)

/** Reads token counts. A count that the server omitted is undefined. */
const usageOf = (counts: unknown): Response.FinishPartEncoded["usage"] => {
  const fields = Fields.of(counts)
  const total = Fields.count(fields["prompt_tokens"])
  const details = Fields.of(fields["prompt_tokens_details"])
  const cacheRead = Fields.count(details["cached_tokens"]) ?? Fields.count(fields["prompt_cache_hit_tokens"])
  const output = Fields.count(fields["completion_tokens"])
  const reasoning = Fields.count(Fields.of(fields["completion_tokens_details"])["reasoning_tokens"])
  return AnswerMetadata.usageOf({
    input: total,
    cacheRead,
    cacheWrite: Fields.count(details["cache_write_tokens"]),
    output,
    reasoning
  })
}

/** Creates the part with the model and the time of the answer, if the server reports them. */
export const metadata = (answer: JsonObject): Response.ResponseMetadataPartEncoded =>
  AnswerMetadata.of(answer["id"], answer["model"], answer["created"])

/** Creates the last part of an answer. */
export const finish = (reason: Response.FinishReason, usage: unknown): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: usageOf(usage)
})

/** Creates the part of a call. Parses arguments that are one JSON object. */
export const toolCall = (id: string, name: string, text: string): Response.ToolCallPartEncoded => {
  const { options, params } = CallArguments.read(text)
  return { type: "tool-call", id, name, params, metadata: options }
}

/** Returns the text of arguments, which some servers send as an object. */
export const argumentsText = (value: unknown): string =>
  value === undefined || value === null ? "" : CallArguments.textOf(value)

/** Returns the text of a message's content, which some servers send as a list of parts. */
export const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Fields.list(content)
        .map((part) => Fields.string(part["text"]))
        .join("")

/**
 * Returns the reasoning: `reasoning_content` from DeepSeek, Qwen and older vLLM, `reasoning` from OpenRouter and
 * Ollama.
 */
export const reasoningText = (message: JsonObject): string =>
  Fields.string(message["reasoning_content"]) || Fields.string(message["reasoning"])

const callsOf = (message: JsonObject): ReadonlyArray<Response.ToolCallPartEncoded> => {
  const deprecated = Fields.of(message["function_call"])
  const calls = [
    ...Fields.list(message["tool_calls"]),
    ...(deprecated["name"] === undefined ? [] : [{ function: deprecated }])
  ]
  return calls.map((call: JsonObject) => {
    const { arguments: text, name } = Fields.of(call["function"])
    return toolCall(Fields.string(call["id"]), Fields.string(name), argumentsText(text))
  })
}

/** Returns the parts of a parsed answer. `takenIds` are the call ids of the conversation. */
export const readWhole = (
  body: unknown,
  takenIds: ReadonlySet<string>
): Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason> => {
  const answer = Fields.of(body)
  if (!Array.isArray(answer["choices"])) return Result.fail(Failures.invalid("the answer is not a chat completion"))
  const choice = Fields.list(answer["choices"])[0]
  if (choice === undefined) return Result.fail(Failures.broken("the answer has no choice"))
  const message = Fields.of(choice["message"])
  const reasoning = reasoningText(message)
  const text = contentText(message["content"])
  const refusal = Fields.string(message["refusal"])
  const calls = Transcript.freshIds(callsOf(message), takenIds).parts
  const reason = finishReason(Fields.string(choice["finish_reason"]), calls.length > 0 ? "complete" : "none")
  return Result.succeed([
    metadata(answer),
    ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...(refusal === "" ? [] : [{ type: "text", text: refusal, metadata: { openai: { refusal: true } } } as const]),
    ...calls,
    finish(reason, answer["usage"])
  ])
}
