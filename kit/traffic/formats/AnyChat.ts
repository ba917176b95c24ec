/**
 * Reads messages whose format is not that of their file: the inputs and outputs of traces, and messages that are logged
 * one by one. Each value is read in the format of its own fields.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatRequest from "effect-toolguard/internal/domain/transcript/ChatRequest"
import type * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import * as Draft from "#kit/traffic/Draft"
import * as Format from "#kit/traffic/Format"
import * as Shape from "#kit/traffic/Shape"
import * as AiSdk from "./AiSdk.ts"
import * as Anthropic from "./AnthropicMessages.ts"
import * as Gemini from "./Gemini.ts"
import * as LangChain from "./LangChain.ts"
import * as OpenAiChat from "./OpenAiChat.ts"
import * as OpenAiResponses from "./OpenAiResponses.ts"

const aiSdk = AiSdk.dialect()
const anthropic = Anthropic.dialect()
const gemini = Gemini.dialect()
const langChain = LangChain.dialect()
const openAi = OpenAiChat.dialect()
const responses = OpenAiResponses.dialect()

const dialects: ReadonlyMap<unknown, ChatLog.Dialect> = new Map([
  ["ai-sdk", aiSdk],
  ["anthropic", anthropic],
  ["gemini", gemini],
  ["langchain", langChain],
  ["openai-responses", responses]
])

const dialectOf = (value: unknown): ChatLog.Dialect => dialects.get(Format.of(value)) ?? openAi

/** Adds one message of any format. Skips it if it has none. */
export const add = (draft: Draft.Draft, message: unknown): void => {
  if (!isJsonObject(message)) Draft.skip(draft, "it is not an object")
  else if (!dialectOf([message]).add(draft, message)) Draft.skip(draft, "it has no known format")
}

/** The number of objects and lists in which messages may be wrapped. */
const maxLevels = 8

/** Adds the messages of a request: a list, an object with a list, one message, or a text of the user. JSON text is parsed. */
export const addRequest = (draft: Draft.Draft, logged: unknown, levels = maxLevels): void => {
  if (levels === 0) return
  const value = Content.parsed(logged)
  if (typeof value === "string") {
    if (value !== "") draft.messages.push({ role: "user", text: value })
    return
  }
  if (Array.isArray(value)) {
    const list: ReadonlyArray<unknown> = Array.isArray(value[0]) ? value[0] : value
    for (const message of list) add(draft, message)
    return
  }
  if (!isJsonObject(value)) return
  const dialect = dialectOf(value)
  const messages = (dialect.messagesOf ?? ChatRequest.messagesOf)(value)
  const instructions = dialect.instructions?.(value)
  if (instructions !== undefined) draft.messages.push({ role: "system", text: instructions })
  if (messages !== undefined) addRequest(draft, messages, levels - 1)
  else if (isMessage(value)) add(draft, value)
  else
    addRequest(
      draft,
      [value["prompt"], value["input"], value["inputs"]].find((one) => one !== undefined)
    )
}

/** Adds the answer of a model: a response, a message, a list that begins with one, or a text. JSON text is parsed. */
export const addAnswer = (draft: Draft.Draft, logged: unknown, levels = maxLevels): void => {
  if (levels === 0) return
  delete draft.answer
  const value = Content.parsed(logged)
  if (typeof value === "string") {
    if (value !== "") draft.messages.push({ role: "assistant", text: value, calls: [] })
    return
  }
  if (Array.isArray(value)) {
    if (Shape.some(value, Shape.isResponsesItem)) responses.answer(draft, { output: value })
    else addAnswer(draft, value[0], levels - 1)
    return
  }
  if (!isJsonObject(value)) return
  const { message, output, text, toolCalls } = value
  if (value["choices"] !== undefined) openAi.answer(draft, value)
  else if (value["candidates"] !== undefined) gemini.answer(draft, value)
  else if (value["generations"] !== undefined) langChain.answer(draft, value)
  else if (Array.isArray(output) && Format.of(value) === "openai-responses") responses.answer(draft, value)
  else if (toolCalls !== undefined) aiSdk.add(draft, stepOf(value))
  else if (typeof value["stop_reason"] === "string") anthropic.answer(draft, value)
  else if (isMessage(value)) add(draft, { role: "assistant", ...value })
  else
    addAnswer(
      draft,
      [message, output, text].find((one) => one !== undefined && one !== null)
    )
}

/** Returns true for one message, unlike an object that contains messages. */
export const isMessage = (value: JsonObject): boolean =>
  Shape.isLangChainMessage(value) ||
  Shape.isResponsesItem(value) ||
  (value["messages"] === undefined &&
    (value["content"] !== undefined || Array.isArray(value["parts"]) || Array.isArray(value["tool_calls"])))

/** Returns a step of the AI SDK as a message. */
const stepOf = ({ text, toolCalls }: JsonObject): JsonObject => ({
  role: "assistant",
  content: [
    { type: "text", text },
    ...Fields.list(Content.parsed(toolCalls)).map((call) => ({ ...call, type: "tool-call" }))
  ]
})

/** The result of a tool, with the id of its call if the log has it. */
interface ToolResult {
  readonly callId: string
  readonly text: string
  readonly isError: boolean
}

/** Returns the result of a tool from its output, which may be a message of any format. */
export const resultOf = (logged: unknown): ToolResult => {
  const value = Content.parsed(logged)
  const { output } = Fields.of(value)
  const only = output !== undefined && Object.keys(Fields.of(value)).length === 1 ? Content.parsed(output) : value
  const found = isJsonObject(only) && isMessage(only) ? messageOf(only) : undefined
  if (found?.role === "tool") return { callId: found.callId, text: found.text, isError: found.isError === true }
  return { callId: "", text: typeof logged === "string" ? logged : Content.resultOf(only), isError: false }
}

const messageOf = (message: JsonObject) => {
  const draft = Draft.make()
  add(draft, message)
  return draft.messages[0]
}
