/**
 * Reads messages whose format is not that of their file: messages that are logged one by one. Each value is read in the format of its own fields.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type * as ChatLog from "#kit/traffic/ChatLog"
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

/** Returns true for one message, unlike an object that contains messages. */
export const isMessage = (value: JsonObject): boolean =>
  Shape.isLangChainMessage(value) ||
  Shape.isResponsesItem(value) ||
  (value["messages"] === undefined &&
    (value["content"] !== undefined || Array.isArray(value["parts"]) || Array.isArray(value["tool_calls"])))
