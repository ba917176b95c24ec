/**
 * Reads conversations in the format of OpenAI's Responses API: a list of items, a request with its `instructions` and
 * `input`, a response with its `output`, or an object with both.
 *
 * - Consecutive items of the model become one assistant message (`ResponsesOutput`).
 * - Items of types that are neither messages, calls nor outputs are kept whole, and are written back unchanged.
 * - Messages of other formats (`tool_calls`, `function_call`, `images`, the roles `tool` and `function`) are read as
 *   chat completions.
 * - Reading never fails, regardless of the log. `Transcript.repair` corrects damaged conversations afterwards.
 *
 * **Gotchas**
 *
 * An `item_reference` is kept, but the item itself is not in the log. The output of a call that is only referenced
 * counts as an output without a call.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Fields from "#domain/json/Fields"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as CallArguments from "./CallArguments.ts"
import * as ChatLogReader from "./ChatLogReader.ts"
import * as ChatParts from "./ChatParts.ts"
import * as LogDraft from "./LogDraft.ts"
import * as ResponsesFields from "./ResponsesFields.ts"
import * as ResponsesOutput from "./ResponsesOutput.ts"

/** Reads a file with its content or its address. An uploaded file has neither. */
const file = (part: JsonObject): Prompt.FilePart | undefined => {
  if (part["type"] !== "input_file") return undefined
  const name = Fields.string(part["filename"])
  const fileName = name === "" ? {} : { fileName: name }
  const data = Fields.string(part["file_data"])
  const mediaType = /^data:([^;,]+)[;,]/u.exec(data)?.[1] ?? "application/pdf"
  if (data !== "") return Prompt.filePart({ mediaType, data, ...fileName })
  const address = Fields.string(part["file_url"])
  return URL.canParse(address) ? Prompt.filePart({ mediaType, data: new URL(address), ...fileName }) : undefined
}

/** Reads a part of a user message or of an output. Keeps a part of an unknown type. */
const content = (part: JsonObject): ChatParts.Content => {
  const known = file(part) ?? ChatParts.read(part)
  if (known.type === "file") {
    const { detail } = part
    const options = detail === undefined || detail === "auto" ? {} : ResponsesFields.keep({ detail })
    return Prompt.filePart({ ...known, options })
  }
  return file(part) === undefined && ChatParts.isUnknown(part)
    ? Prompt.textPart({ text: known.text, options: ResponsesFields.keep({ part }) })
    : known
}

const contents = (value: unknown): ReadonlyArray<ChatParts.Content> => ChatParts.list(value).map(content)

const outputOf = (item: JsonObject): LogDraft.Result => {
  const { call_id, output, status } = item
  const parts = Array.isArray(output) && output.every(isJsonObject) ? contents(output) : undefined
  const common = { id: Fields.string(call_id), isFailure: status === "failed" }
  if (parts === undefined) {
    return { ...common, result: output === undefined || output === null ? "" : CallArguments.textOf(output) }
  }
  return { ...common, result: ChatParts.textOf(parts), modelOutput: parts }
}

const assistantPart = (part: ResponsesOutput.OutputPart): Prompt.AssistantMessagePart => {
  const { metadata: options } = part
  if (part.type === "tool-call") {
    const { id, name, params } = part
    return Prompt.toolCallPart({ id, name, params, options, providerExecuted: false })
  }
  return part.type === "text"
    ? Prompt.textPart({ text: part.text, options })
    : Prompt.reasoningPart({ text: part.text, options })
}

/** True if a message is in the chat completions format. */
const isChat = (item: JsonObject): boolean =>
  item["type"] === undefined &&
  (item["role"] === "tool" ||
    item["role"] === "function" ||
    Array.isArray(item["tool_calls"]) ||
    Array.isArray(item["images"]) ||
    isJsonObject(item["function_call"]) ||
    typeof item["tool_call_id"] === "string")

const isOutput = ({ type }: JsonObject): boolean =>
  type === "function_call_output" || type === "custom_tool_call_output"

const isMessage = ({ role, type }: JsonObject): boolean =>
  type === "message" || (type === undefined && typeof role === "string")

/** A request, a response, both in one object, or a list of items. */
export type Log =
  | ReadonlyArray<unknown>
  | {
      readonly instructions?: unknown
      readonly input?: string | ReadonlyArray<unknown>
      readonly output?: ReadonlyArray<unknown>
    }

const itemsOf = (log: Log): ReadonlyArray<JsonObject> => {
  if (Array.isArray(log)) return LogDraft.messagesOf(log)
  const { input, instructions, output } = Fields.of(log)
  return [
    ...(typeof instructions === "string" && instructions !== "" ? [{ role: "system", content: instructions }] : []),
    ...LogDraft.messagesOf(Array.isArray(instructions) ? instructions : []),
    ...LogDraft.messagesOf(typeof input === "string" ? [input] : input),
    ...LogDraft.messagesOf(output)
  ]
}

/** Reads a conversation from a request, a response or their items. Never fails. */
export const fromResponses = (log: Log): Prompt.Prompt => {
  const draft = LogDraft.make()
  let answer: Array<Prompt.AssistantMessagePart> = []
  const endAnswer = () => {
    if (answer.length > 0) draft.add(Prompt.assistantMessage({ content: answer }))
    answer = []
  }
  for (const item of itemsOf(log)) {
    const isAnswer = isMessage(item) ? item["role"] === "assistant" : !isOutput(item)
    if (isAnswer && !isChat(item)) {
      const whole = isMessage(item) ? { ...item, type: "message" } : item
      answer.push(...ResponsesOutput.parts(whole).map(assistantPart))
      continue
    }
    endAnswer()
    if (isChat(item)) ChatLogReader.add(draft, item)
    else if (isOutput(item)) draft.addResult(outputOf(item))
    else if (item["role"] === "user") draft.add(Prompt.userMessage({ content: contents(item["content"]) }))
    else draft.add(Prompt.systemMessage({ content: ChatParts.textOf(contents(item["content"])) }))
  }
  endAnswer()
  return draft.prompt()
}
