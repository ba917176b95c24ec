/** Recognises values of formats by their fields, for the detection of a format (`Format`). */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** The maximum number of items of a list that are inspected. */
const maxInspected = 100

const some = (list: unknown, is: (fields: JsonObject) => boolean): boolean =>
  Array.isArray(list) && list.slice(0, maxInspected).some((one) => is(Fields.of(one)))

/** Returns true for an item that only OpenAI's Responses API has. */
export const isResponsesItem = ({ content, id, type }: JsonObject): boolean => {
  switch (type) {
    case "function_call":
    case "function_call_output":
    case "custom_tool_call":
    case "custom_tool_call_output":
    case "item_reference":
      return true
    case "reasoning":
      return typeof id === "string"
    case "message":
      return some(content, ({ type: part }) => part === "output_text" || part === "input_text")
    default:
      return false
  }
}

/** Returns true for a request or a response of OpenAI's Responses API. */
export const isResponses = (request: JsonObject, response: JsonObject): boolean => {
  const { input, model, tools } = request
  const answer = Fields.of(response["body"] ?? response)
  if (request["object"] === "response" || answer["object"] === "response") return true
  if (some(input, isResponsesItem) || some(request["output"], isResponsesItem)) return true
  if (some(answer["output"], isResponsesItem)) return true
  const isRequest =
    typeof model === "string" && (typeof input === "string" || some(input, ({ role }) => role !== undefined))
  return isRequest && some(tools, ({ name, type }) => type === "function" && typeof name === "string")
}
