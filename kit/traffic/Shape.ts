/** Recognises values of formats by their fields, for the detection of a format (`Format`). */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** The maximum number of items of a list that are inspected. */
const maxInspected = 100

/** Returns true if one of the first items of a list is an object that matches. */
export const some = (list: unknown, is: (fields: JsonObject) => boolean): boolean =>
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

/** Returns true for a message of LangChain: `messages_to_dict`, the constructor form of `dumpd`, or its plain fields. */
export const isLangChainMessage = ({ content, data, id, kwargs, lc, role, type }: JsonObject): boolean => {
  if (lc === 1 && type === "constructor")
    return Array.isArray(id) && Fields.string(id.at(-1)).includes("Message") && isJsonObject(kwargs)
  if (
    typeof type !== "string" ||
    role !== undefined ||
    !langChainTypes.has(type.replace(/MessageChunk$/u, "").toLowerCase())
  )
    return false
  return isJsonObject(data) ? data["content"] !== undefined : content !== undefined
}

const langChainTypes: ReadonlySet<string> = new Set(["human", "ai", "system", "tool", "function", "chat"])

/** Returns true for a content of Gemini: its parts have no type. */
export const isGeminiContent = ({ parts }: JsonObject): boolean =>
  Array.isArray(parts) &&
  some(parts, (part) => part["type"] === undefined && Object.keys(part).some((name) => geminiParts.has(name)))

const geminiParts: ReadonlySet<string> = new Set([
  "text",
  "functionCall",
  "function_call",
  "functionResponse",
  "function_response",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data"
])

/** Returns true for a line that is one message, or whose `message` is one. Events of sessions have a `type`. */
export const isMessageLine = (line: JsonObject): boolean =>
  isSingleMessage(line) ||
  (line["type"] === undefined && isJsonObject(line["message"]) && isSingleMessage(line["message"]))

const isSingleMessage = (fields: JsonObject): boolean =>
  isLangChainMessage(fields) ||
  isResponsesItem(fields) ||
  (typeof fields["role"] === "string" &&
    fields["messages"] === undefined &&
    (fields["content"] !== undefined || Array.isArray(fields["parts"]) || Array.isArray(fields["tool_calls"])))

const observationTypes: ReadonlySet<unknown> = new Set(
  "SPAN EVENT GENERATION AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split(" ")
)

/** Returns true for an observation of Langfuse. */
export const isLangfuseObservation = (line: JsonObject): boolean =>
  observationTypes.has(line["type"]) &&
  (typeof line["traceId"] === "string" || typeof line["trace_id"] === "string" || line["startTime"] !== undefined)

/** Returns true for an observation of Langfuse, or for an object with observations: a trace, a session, a page. */
export const isLangfuse = (line: JsonObject): boolean =>
  isLangfuseObservation(line) ||
  some(line["observations"], isLangfuseObservation) ||
  some(line["data"], isLangfuseObservation) ||
  some(line["traces"], ({ observations }) => some(observations, isLangfuseObservation))

/** Returns true for a run of LangSmith. */
export const isLangSmithRun = ({ inputs, run_type: type, start_time: start }: JsonObject): boolean =>
  typeof type === "string" && (inputs !== undefined || start !== undefined)

/** Returns true for a span as the console exporters of OpenTelemetry print it: of the JavaScript or the Python SDK. */
export const isConsoleSpan = ({
  attributes,
  context,
  duration,
  id,
  name,
  start_time: start,
  traceId
}: JsonObject): boolean =>
  typeof name === "string" &&
  isJsonObject(attributes) &&
  (isJsonObject(context)
    ? typeof context["trace_id"] === "string" && start !== undefined
    : typeof traceId === "string" && typeof id === "string" && duration !== undefined)

/** Returns true for a log record as the console exporters of OpenTelemetry print it. */
export const isConsoleRecord = (line: JsonObject): boolean => {
  const { severity_number: snakeCase, severityNumber = snakeCase, trace_id: trace, traceId = trace } = line
  const isRecord = "body" in line && isJsonObject(line["attributes"]) && typeof traceId === "string"
  return (
    isRecord &&
    (severityNumber !== undefined || "severity_text" in line || "severityText" in line || "event_name" in line)
  )
}

const codexTypes: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted"
])

/** Returns true for an event of a session of the Codex CLI. */
export const isCodexEvent = ({ payload, type }: JsonObject): boolean => codexTypes.has(type) && isJsonObject(payload)
