/**
 * Reads a whole answer of Anthropic's messages API as response parts.
 *
 * - Thinking keeps its signature, and what was withheld of it its data, in the part's metadata under `anthropic`, so that
 *   both can be sent back (`Transcript.toAnthropic`).
 * - Blocks of other kinds, such as calls that the provider ran itself, are kept whole in the metadata of a reasoning part
 *   without text: nobody reads them, and they are sent back as they came.
 * - Empty and repeated ids are replaced (SPEC 9.1).
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as Failures from "#layers/internal/model/Failures"

const finishReasons: ReadonlyMap<string, Response.FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "pause"],
  ["refusal", "content-filter"]
])

/** The finish reason in effect/ai's words; between an end and calls, what the answer holds decides. */
export const finishReason = (told: string, hasCalls: boolean): Response.FinishReason => {
  const reason = told === "" ? "stop" : (finishReasons.get(told) ?? "other")
  return reason === "stop" || reason === "tool-calls" ? (hasCalls ? "tool-calls" : "stop") : reason
}

/** Token counts. What was read from the provider's cache, or written to it, is input too. */
export const usage = (told: JsonObject): Response.FinishPartEncoded["usage"] => {
  const uncached = Fields.count(told["input_tokens"])
  const cacheRead = Fields.count(told["cache_read_input_tokens"])
  const cacheWrite = Fields.count(told["cache_creation_input_tokens"])
  const total = uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const output = Fields.count(told["output_tokens"])
  const reasoning = Fields.count(Fields.of(told["output_tokens_details"])["thinking_tokens"])
  const text = output === undefined || reasoning === undefined ? undefined : Math.max(0, output - reasoning)
  return {
    inputTokens: { total, uncached, cacheRead, cacheWrite },
    outputTokens: { total: output, text, reasoning }
  }
}

/** Who answered. */
export const metadata = (told: JsonObject): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id: Fields.string(told["id"]) || undefined,
  modelId: Fields.string(told["model"]) || undefined,
  timestamp: undefined
})

/** The last part of every answer. */
export const finish = (
  reason: Response.FinishReason,
  told: { readonly usage: JsonObject; readonly stopReason: string; readonly stopSequence: string }
): Response.FinishPartEncoded => ({
  type: "finish",
  reason,
  usage: usage(told.usage),
  metadata: {
    anthropic: {
      ...(told.stopReason === "" ? {} : { stop_reason: told.stopReason }),
      ...(told.stopSequence === "" ? {} : { stop_sequence: told.stopSequence })
    }
  }
})

type Metadata = Response.ProviderMetadata

/** Fields of a block as metadata; they came out of JSON. What is nested too deeply to be written again is not kept. */
const kept = (fields: JsonObject): Metadata =>
  isWritable(fields) ? { anthropic: fields as NonNullable<Metadata[string]> } : {}

const isWritable = (fields: JsonObject): boolean => {
  try {
    JSON.stringify(fields)
    return true
  } catch {
    return false
  }
}

/** What must go back with thinking. */
export const thinkingMetadata = (signature: unknown): Metadata =>
  kept({ type: "thinking", ...(typeof signature === "string" ? { signature } : {}) })

/** A block that is no text, thinking or call of ours, as a part that nobody reads. */
export const opaque = (block: JsonObject): Response.ReasoningPartEncoded => ({
  type: "reasoning",
  text: "",
  metadata: block["type"] === "redacted_thinking" ? kept({ type: block["type"], data: block["data"] }) : kept({ block })
})

/** What text says of its sources. */
export const citations = (told: unknown): Metadata =>
  Array.isArray(told) && told.length > 0 ? kept({ citations: told }) : {}

/** A call as a part, its arguments parsed where they are one JSON object. */
export const toolCall = (id: string, name: string, text: string, caller?: unknown): Response.ToolCallPartEncoded => {
  const { options, params } = CallArguments.read(text)
  const isDirect = caller === undefined || caller === null || Fields.of(caller)["type"] === "direct"
  return { type: "tool-call", id, name, params, metadata: isDirect ? options : { ...options, ...kept({ caller }) } }
}

const partOf = (block: JsonObject): Response.PartEncoded => {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: Fields.string(block["text"]), metadata: citations(block["citations"]) }
    case "thinking":
      return {
        type: "reasoning",
        text: Fields.string(block["thinking"]),
        metadata: thinkingMetadata(block["signature"])
      }
    case "tool_use":
      return toolCall(
        Fields.string(block["id"]),
        Fields.string(block["name"]),
        CallArguments.textOf(block["input"] ?? {}),
        block["caller"]
      )
    default:
      return opaque(block)
  }
}

/** Whether a part says nothing to anybody: neither to a reader nor, sent back, to the provider. */
const isEmpty = (part: Response.PartEncoded): boolean =>
  (part.type === "text" && part.text === "") ||
  (part.type === "reasoning" && part.text === "" && Object.keys(part.metadata ?? {}).length === 0)

/** The parts of a parsed answer. `seen` holds the call ids of the conversation. */
export const parts = (
  body: unknown,
  seen: ReadonlySet<string>
): Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason> => {
  const told = Fields.of(body)
  if (!Array.isArray(told["content"])) return Result.fail(Failures.invalid("the answer is no message"))
  const said = Fields.list(told["content"])
    .map(partOf)
    .filter((part) => !isEmpty(part))
  const fresh = Transcript.freshIds(said, seen).parts
  const stopReason = Fields.string(told["stop_reason"])
  const hasCalls = fresh.some(({ type }) => type === "tool-call")
  return Result.succeed([
    metadata(told),
    ...fresh,
    finish(finishReason(stopReason, hasCalls), {
      usage: Fields.of(told["usage"]),
      stopReason,
      stopSequence: Fields.string(told["stop_sequence"])
    })
  ])
}
