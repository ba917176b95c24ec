/**
 * Reads logs of OpenAI's Responses API: requests with `input` items, `instructions` and tools in the flat form, and
 * responses with `output` items. A line holds a request, a response, or both; a list of items is a conversation.
 *
 * **Details**
 *
 * - Consecutive items of the model (`message`, `reasoning`, `function_call` …) form one answer.
 * - A request with `previous_response_id` continues the response of that id if the file has it before the request. A
 *   request with `conversation` contains only new items.
 * - Calls that the caller runs count as calls: functions, custom tools, shell, patches and the computer.
 *
 * **Gotchas**
 *
 * Tools that the provider runs itself (`web_search_call`, `mcp_call` …) never pass a guard, so they do not count as calls.
 * An `item_reference` is skipped and reported, because the item is not in the request.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as ChatLog from "#kit/traffic/ChatLog"
import * as Content from "#kit/traffic/Content"
import * as Draft from "#kit/traffic/Draft"
import type { Reader } from "#kit/traffic/Reader"
import { usageOf } from "./AnthropicMessages.ts"

/** Creates the dialect of the format. */
export const dialect = (): ChatLog.Dialect => ({
  name: "openai-responses",
  messagesOf,
  responseOf,
  instructions: ({ instructions }) => Content.textOf(instructions) || undefined,
  linkOf: (request, response) => ({
    conversation: idOf(request["conversation"] ?? response["conversation"]),
    continues: idOf(request["previous_response_id"] ?? response["previous_response_id"]),
    answerId: idOf(response["id"])
  }),
  add,
  answer: (draft, { incomplete_details: details, output, status, usage }) => {
    if (!Array.isArray(output)) return
    const before = draft.messages.length
    for (const item of output) ChatLog.addAny(add, draft, item)
    const answer = draft.messages.at(-1)
    if (draft.messages.length === before || answer?.role !== "assistant") return
    const used = usageOf(usage)
    const isCut = status === "incomplete" && Fields.of(details)["reason"] === "max_output_tokens"
    draft.messages[draft.messages.length - 1] = {
      ...answer,
      ...(isCut ? { isCut } : {}),
      ...(used === undefined ? {} : { usage: used })
    }
  }
})

/** Reads requests, responses and lists of items. */
export const reader = (): Reader => ChatLog.reader(dialect())

/** Returns the id of an object, which may be written as the id alone. */
const idOf = (value: unknown): string | undefined =>
  Fields.string(value) || Fields.string(Fields.of(value)["id"]) || undefined

/** Returns the items of a request. A response that was logged without its request has none. */
const messagesOf = ({ input, messages, output }: JsonObject): ReadonlyArray<unknown> | undefined => {
  if (typeof input === "string") return [{ role: "user", content: input }]
  if (Array.isArray(input)) return input
  if (Array.isArray(messages)) return messages
  return Array.isArray(output) ? [] : undefined
}

/** Returns the response of a line: its `response` or the `body` in it, or the line itself. */
const responseOf = (line: JsonObject): JsonObject => {
  const response = Fields.of(line["response"])
  const inner = Array.isArray(response["output"]) ? response : Fields.of(response["body"])
  return Array.isArray(inner["output"]) ? inner : Array.isArray(line["output"]) ? line : {}
}

/** The calls that the caller runs, and the field with their arguments. */
const calls: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
  ["local_shell_call", "action"],
  ["shell_call", "action"],
  ["apply_patch_call", "operation"],
  ["computer_call", "action"]
])

/** Adds an item. Returns false if it has another format. */
const add = (draft: Draft.Draft, item: JsonObject): boolean => {
  const { call_id: id, content, name, role, type } = item
  const field = calls.get(type)
  if (field !== undefined) {
    Draft.extendAnswer(draft, "", {
      id: Fields.string(id) || Fields.string(item["id"]),
      name: Fields.string(name) || String(type).replace(/_call$/u, ""),
      arguments: item[field] ?? ""
    })
    return true
  }
  if (typeof type === "string" && type !== "message") {
    if (type.endsWith("_call_output")) addResult(draft, item)
    else if (type === "reasoning" || isProviderItem(type)) Draft.extendAnswer(draft, "")
    else Draft.skip(draft, `it is an item of the type ${Draft.quoted(type)}`)
    return true
  }
  if (item["tool_calls"] !== undefined || item["parts"] !== undefined) return false
  switch (role) {
    case "assistant":
      Draft.extendAnswer(draft, Content.textOf(content) || refusalOf(content))
      return true
    case "user":
      draft.messages.push(Content.user(content))
      return true
    default:
      Draft.addInstructions(draft, role, content)
      return true
  }
}

/** Returns true for the work of a tool that the provider runs, and for approvals of it. */
const isProviderItem = (type: string): boolean =>
  type.endsWith("_call") || type === "mcp_list_tools" || type.startsWith("mcp_approval_")

const addResult = (draft: Draft.Draft, { call_id: id, output, status }: JsonObject): void => {
  draft.messages.push({
    role: "tool",
    callId: Fields.string(id),
    text: Content.resultOf(output),
    ...(status === "failed" ? { isError: true } : {})
  })
}

const refusalOf = (content: unknown): string =>
  Fields.list(content)
    .map(({ refusal }) => Fields.string(refusal))
    .join("\n")
