/**
 * Reads the items of a model in OpenAI's Responses format as parts, in the fields that `Prompt` and `Response` share.
 *
 * - A message becomes a text for each of its contents, and a refusal a text that is marked.
 * - A call keeps its item's id. The input of a custom tool's call is its text.
 * - Reasoning becomes a reasoning part with its summary and its text; every item of another type a reasoning part
 *   without text. Both keep the whole item (`ResponsesFields`).
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import type { JsonObject } from "#domain/json/JsonObject"
import * as CallArguments from "./CallArguments.ts"
import * as ResponsesFields from "./ResponsesFields.ts"

type Metadata = Prompt.ProviderOptions

interface SaidPart {
  readonly type: "text" | "reasoning"
  readonly text: string
  readonly metadata: Metadata
}

interface CallPart {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly metadata: Metadata
}

/** A part of an answer. */
export type OutputPart = SaidPart | CallPart

/** Returns the status of an item, unless it is the usual one. */
const statusOf = ({ status }: JsonObject): unknown => (status === "completed" ? undefined : status)

const filled = (list: unknown): unknown => (Array.isArray(list) && list.length > 0 ? list : undefined)

/** Returns the data of a text that is sent back. */
export const textMetadata = (item: JsonObject, content: JsonObject): Metadata =>
  ResponsesFields.keep({
    id: item["id"],
    phase: item["phase"],
    status: statusOf(item),
    annotations: filled(content["annotations"]),
    refusal: content["type"] === "refusal" ? true : undefined
  })

/** Returns the text of a content of a message. */
export const textOf = (content: JsonObject): string =>
  Fields.string(content["type"] === "refusal" ? content["refusal"] : content["text"])

const message = (item: JsonObject): ReadonlyArray<OutputPart> => {
  const { content } = item
  const contents = typeof content === "string" ? [{ text: content }] : Fields.list(content)
  return contents.flatMap((one) => {
    const text = textOf(one)
    return text === "" ? [] : [{ type: "text" as const, text, metadata: textMetadata(item, one) }]
  })
}

/** True for an item that is a call of a function or of a custom tool. */
export const isCall = ({ type }: JsonObject): boolean => type === "function_call" || type === "custom_tool_call"

/** Creates the part of a call with the text of its arguments or of its input. */
export const call = (item: JsonObject, id: string, text: string): CallPart => {
  const { type } = item
  const { options, params } = CallArguments.read(text)
  const kept = ResponsesFields.keep({
    ...ResponsesFields.of(options),
    id: item["id"],
    status: statusOf(item),
    namespace: item["namespace"],
    caller: item["caller"],
    async: item["async"],
    type: type === "custom_tool_call" ? type : undefined
  })
  return { type: "tool-call", id, name: Fields.string(item["name"]), params, metadata: kept }
}

/** Returns the text of a call's arguments or input. Some servers send the arguments as an object. */
export const argumentsOf = (item: JsonObject): string => {
  const value = item["type"] === "custom_tool_call" ? item["input"] : item["arguments"]
  return value === undefined || value === null ? "" : CallArguments.textOf(value)
}

/** Returns what the model thought: the summary of the reasoning, and its text if the server shows it. */
export const thoughtOf = ({ content, summary, type }: JsonObject): string =>
  type === "reasoning"
    ? [...Fields.list(summary), ...Fields.list(content)]
        .map(({ text }) => Fields.string(text))
        .filter((text) => text !== "")
        .join("\n\n")
    : ""

/** Creates the part of reasoning, or of an item of another type. */
export const kept = (item: JsonObject): SaidPart => ({
  type: "reasoning",
  text: thoughtOf(item),
  metadata: ResponsesFields.keep({ item })
})

/** Returns the parts of an item. */
export const parts = (item: JsonObject): ReadonlyArray<OutputPart> => {
  if (isCall(item)) return [call(item, Fields.string(item["call_id"]), argumentsOf(item))]
  return item["type"] === "message" ? message(item) : [kept(item)]
}
