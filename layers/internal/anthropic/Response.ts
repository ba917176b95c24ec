/**
 * Reads a complete answer of Anthropic's messages API as response parts.
 *
 * - Thinking keeps its signature, and redacted thinking its data, in the part's metadata under `anthropic`, so that
 *   both can be sent back (`Transcript.toAnthropic`).
 * - Blocks of other kinds, such as calls that the provider ran, are kept whole in the metadata of a reasoning part
 *   without text, and are sent back unchanged.
 * - Empty and repeated ids are replaced [9.1].
 */
import type * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Transcript from "#domain/transcript/Transcript"
import * as CallArguments from "#domain/transcript/CallArguments"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import { isWritable } from "#domain/json/WritableJson"
import * as Failures from "#layers/internal/model/Failures"
import * as FinishReason from "#layers/internal/model/FinishReason"

const finishReasons: ReadonlyMap<string, Response.FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "pause"],
  ["refusal", "content-filter"]
])

/** Reads token counts. Tokens read from the provider's cache, or written to it, count as input. */
const usageOf = (counts: JsonObject): Response.FinishPartEncoded["usage"] => {
  const uncached = Fields.count(counts["input_tokens"])
  const cacheRead = Fields.count(counts["cache_read_input_tokens"])
  const cacheWrite = Fields.count(counts["cache_creation_input_tokens"])
  const total = uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const output = Fields.count(counts["output_tokens"])
  const reasoning = Fields.count(Fields.of(counts["output_tokens_details"])["thinking_tokens"])
  const text = output === undefined || reasoning === undefined ? undefined : Math.max(0, output - reasoning)
  return {
    inputTokens: { total, uncached, cacheRead, cacheWrite },
    outputTokens: { total: output, text, reasoning }
  }
}

/** Creates the part that names the model that answered. */
export const metadata = (message: JsonObject): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id: Fields.string(message["id"]) || undefined,
  modelId: Fields.string(message["model"]) || undefined,
  timestamp: undefined
})

/** Creates the last part of an answer. An empty `stopReason` or `stopSequence` counts as absent. */
export const finish = (
  calls: FinishReason.Calls,
  end: { readonly usage: JsonObject; readonly stopReason: string; readonly stopSequence: string }
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: FinishReason.of(finishReasons, end.stopReason, calls),
  usage: usageOf(end.usage),
  metadata: {
    anthropic: {
      ...(end.stopReason === "" ? {} : { stop_reason: end.stopReason }),
      ...(end.stopSequence === "" ? {} : { stop_sequence: end.stopSequence })
    }
  }
})

type Metadata = Response.ProviderMetadata

/**
 * Returns the fields of a block as metadata. Fields that are nested too deeply to be written as JSON again are dropped.
 */
const asMetadata = (fields: JsonObject): Metadata =>
  isWritable(fields) ? { anthropic: fields as NonNullable<Metadata[string]> } : {}

/** Returns the metadata that must be sent back with thinking. */
export const thinkingMetadata = (signature: unknown): Metadata =>
  asMetadata({ type: "thinking", ...(typeof signature === "string" ? { signature } : {}) })

/** Converts a block of another kind to a part without text, which is only sent back. */
export const opaque = (block: JsonObject): Response.ReasoningPartEncoded => ({
  type: "reasoning",
  text: "",
  metadata:
    block["type"] === "redacted_thinking"
      ? asMetadata({ type: block["type"], data: block["data"] })
      : asMetadata({ block })
})

/** Returns the sources that a text cites. */
export const citations = (list: unknown): Metadata =>
  Array.isArray(list) && list.length > 0 ? asMetadata({ citations: list }) : {}

/** Creates the part of a call. Parses arguments that are one JSON object. */
export const toolCall = (id: string, name: string, text: string, caller?: unknown): Response.ToolCallPartEncoded => {
  const { options, params } = CallArguments.read(text)
  const isDirect = caller === undefined || caller === null || Fields.of(caller)["type"] === "direct"
  return {
    type: "tool-call",
    id,
    name,
    params,
    metadata: isDirect ? options : { ...options, ...asMetadata({ caller }) }
  }
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

/** Returns true if a part has no content for readers, and none for the provider when it is sent back. */
const isEmpty = (part: Response.PartEncoded): boolean =>
  (part.type === "text" && part.text === "") ||
  (part.type === "reasoning" && part.text === "" && Object.keys(part.metadata ?? {}).length === 0)

/** Returns the parts of a parsed answer. `takenIds` are the call ids of the conversation. */
export const readWhole = (
  body: unknown,
  takenIds: ReadonlySet<string>
): Result.Result<Array<Response.PartEncoded>, AiError.AiErrorReason> => {
  const message = Fields.of(body)
  if (!Array.isArray(message["content"])) return Result.fail(Failures.invalid("the answer is not a message"))
  const content = Fields.list(message["content"])
    .map(partOf)
    .filter((part) => !isEmpty(part))
  const { parts } = Transcript.freshIds(content, takenIds)
  const calls = parts.some(({ type }) => type === "tool-call") ? "complete" : "none"
  return Result.succeed([
    metadata(message),
    ...parts,
    finish(calls, {
      usage: Fields.of(message["usage"]),
      stopReason: Fields.string(message["stop_reason"]),
      stopSequence: Fields.string(message["stop_sequence"])
    })
  ])
}

const finished = (part: Response.FinishPartEncoded): Response.FinishPartEncoded =>
  part.reason === "tool-calls" ? { ...part, reason: "stop" } : part

/**
 * Turns structured output that was requested by a tool into text: the arguments of the tool's call become the answer's
 * text.
 */
export const outputAsText = (name: string, parts: ReadonlyArray<Response.PartEncoded>): Array<Response.PartEncoded> =>
  parts.map((part) => {
    if (part.type === "tool-call" && part.name === name)
      return { type: "text", text: CallArguments.textOf(part.params) }
    return part.type === "finish" ? finished(part) : part
  })
