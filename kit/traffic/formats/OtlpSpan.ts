/** Reads a span of the GenAI conventions: a request to a model, or the execution of a tool. */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Content from "#kit/traffic/Content"
import type { Place } from "#kit/traffic/Conversation"
import * as Draft from "#kit/traffic/Draft"
import type { ToolExecution } from "#kit/traffic/ToolExecutions"
import * as Attributes from "./OtlpAttributes.ts"
import * as Events from "./OtlpEvents.ts"
import * as Parts from "./OtlpParts.ts"

/** A span or a log record, with its attributes by key. */
export interface Span {
  readonly fields: JsonObject
  readonly attributes: Attributes.Attributes
}

/** Returns the kind of work that a span describes; `undefined` for unrelated work. */
export const kindOf = ({ attributes }: Span): "model" | "tool" | undefined => {
  switch (Attributes.text(attributes, "gen_ai.operation.name")) {
    case "chat":
    case "generate_content":
    case "text_completion":
      return "model"
    case "execute_tool":
      return "tool"
    case "":
      if (attributes.has("gen_ai.tool.name")) return "tool"
      return attributes.has("gen_ai.request.model") ? "model" : undefined
    default:
      return undefined
  }
}

/** The messages of a request, followed by its answer if it was answered. */
export interface Request {
  readonly draft: Draft.Draft
  readonly isAnswered: boolean
  /**
   * True if the request may contain only new messages, because it has neither answers of the model nor instructions.
   */
  readonly mayBeIncremental: boolean
}

/** Reads the request of a span, or of a log record that contains a whole request. */
export const requestOf = (span: Span): Request => {
  const { attributes } = span
  const draft = Draft.make()
  const instructions = Content.parsed(Attributes.value(attributes, "gen_ai.system_instructions"))
  const text = typeof instructions === "string" ? instructions : Parts.textOf(instructions)
  if (text !== "") draft.messages.push({ role: "system", text })
  const before = draft.messages.length
  const events = Fields.list(span.fields["events"]).map((event) => {
    const inner = Attributes.of(event["attributes"])
    return { inner, message: Events.read(Fields.string(event["name"]), inner, undefined) }
  })
  for (const { inner } of [{ inner: attributes }, ...events]) {
    Parts.addAll(draft, Content.parsed(Attributes.value(inner, "gen_ai.input.messages")))
  }
  if (draft.messages.length === before) {
    for (const { message } of events) if (message?.isAnswer === false) Parts.addAll(draft, message.messages)
    Parts.addAll(draft, Events.numbered(attributes, "gen_ai.prompt."))
    Parts.addAll(draft, Content.parsed(Attributes.value(attributes, "gen_ai.prompt")))
  }
  const requestLength = draft.messages.length
  const mayBeIncremental = !draft.messages.slice(before).some(({ role }) => role === "assistant" || role === "system")
  for (const { inner } of [{ inner: attributes }, ...events]) {
    Parts.addAll(draft, first(Content.parsed(Attributes.value(inner, "gen_ai.output.messages"))), "assistant")
  }
  if (draft.messages.length === requestLength) {
    for (const { message } of events) {
      if (message?.isAnswer === true) Parts.addAll(draft, message.messages.map(asAssistant))
    }
    Parts.addAll(draft, Events.numbered(attributes, "gen_ai.completion.").slice(0, 1).map(asAssistant))
    Parts.addAll(draft, first(Content.parsed(Attributes.value(attributes, "gen_ai.completion"))), "assistant")
  }
  const isAnswered = draft.messages.length > requestLength
  if (isAnswered) finish(draft, attributes)
  return { draft, isAnswered, mayBeIncremental }
}

/** Returns the first of several candidate answers. A plain text is the only candidate. */
const first = (messages: unknown): unknown =>
  typeof messages === "string" ? messages : Fields.list(messages).slice(0, 1).map(asAssistant)

const asAssistant = (message: JsonObject): JsonObject => ({ role: "assistant", ...message })

/** Adds the span's data about the answer: whether it was truncated, and its tokens. */
const finish = (draft: Draft.Draft, attributes: Attributes.Attributes): void => {
  const answer = draft.messages.at(-1)
  if (answer?.role !== "assistant") return
  const reasons = Content.parsed(Attributes.value(attributes, "gen_ai.response.finish_reasons"))
  const count = (...keys: ReadonlyArray<string>): number | undefined =>
    keys.map((key) => Fields.count(Attributes.value(attributes, key))).find((found) => found !== undefined)
  const input = count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
  const output = count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
  draft.messages[draft.messages.length - 1] = {
    ...answer,
    ...(Array.isArray(reasons) && Parts.isLength(reasons[0]) ? { isCut: true } : {}),
    ...(input === undefined || output === undefined ? {} : { usage: { input, output } })
  }
}

/** Reads the execution of a tool. */
export const executionOf = ({ attributes, fields }: Span, conversation: string, place: Place): ToolExecution => {
  const args = value(attributes, "gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "tool_arguments")
  const result = value(attributes, "gen_ai.tool.call.result", "gen_ai.tool.message", "tool_response")
  const { code, message } = Fields.of(fields["status"])
  const isError = code === 2 || code === "STATUS_CODE_ERROR" || attributes.has("error.type")
  const name = Fields.string(fields["name"])
  return {
    conversation,
    place,
    callId: Attributes.text(attributes, "gen_ai.tool.call.id"),
    name: Attributes.text(attributes, "gen_ai.tool.name") || name.replace("execute_tool ", ""),
    ...(args === undefined ? {} : { arguments: args }),
    text: result === undefined ? errorOf(attributes, Fields.string(message)) : Content.resultOf(result),
    isError,
    isAnswered: result !== undefined || isError,
    at: Attributes.millis(fields["endTimeUnixNano"])
  }
}

const value = (attributes: Attributes.Attributes, ...keys: ReadonlyArray<string>): unknown =>
  keys.map((key) => Attributes.value(attributes, key)).find((found) => found !== undefined)

const errorOf = (attributes: Attributes.Attributes, message: string): string =>
  message === "" ? Attributes.text(attributes, "error.type") : message
