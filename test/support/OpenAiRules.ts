/**
 * The validation rules of the chat completions API, with its error messages: the published schema, and the rules that a schema
 * cannot express (order of messages, names, fields that require others).
 */
import * as ProtocolSchema from "./protocolSchema.ts"

/** The body of an error response. */
export interface ApiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

export const apiError = (
  message: string,
  { code = null, param = null, type = "invalid_request_error" }: Partial<Omit<ApiError["error"], "message">> = {}
): ApiError => ({ error: { message, type, param, code } })

const schema = ProtocolSchema.read("openai/chat-completions.schema.json")

/** Validates a value against a definition of the published schema. Returns the errors. */
export const schemaErrors = schema.errors

interface Message {
  readonly role: string
  readonly tool_call_id?: string
  readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { readonly name: string } }>
  readonly [field: string]: unknown
}

/** The fields of a request body that the rules read. */
export interface RequestBody {
  readonly model?: string
  readonly messages?: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly stream?: boolean
  readonly [field: string]: unknown
}

const fieldsOf: { readonly [role: string]: ReadonlyArray<string> } = {
  developer: ["role", "content", "name"],
  system: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "refusal", "audio", "tool_calls", "function_call"],
  tool: ["role", "content", "tool_call_id"],
  function: ["role", "content", "name"]
}

const maxIdLength = 40
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

const messageError = (message: Message, index: number): ApiError | undefined => {
  const unknown = Object.keys(message).find((field) => !fieldsOf[message.role]?.includes(field))
  if (unknown !== undefined) {
    const text = `Additional properties are not allowed ('${unknown}' was unexpected) - 'messages.${index}'`
    return apiError(text, { param: `messages[${index}]` })
  }
  if (message.role !== "assistant") return undefined
  if ((message["content"] ?? null) === null && message.tool_calls === undefined) {
    const text = `Invalid value for 'content': expected a string, got null.`
    return apiError(text, { param: `messages.[${index}].content` })
  }
  for (const [
    place,
    {
      function: { name },
      id
    }
  ] of (message.tool_calls ?? []).entries()) {
    const param = `messages[${index}].tool_calls[${place}]`
    if (id.length > maxIdLength) {
      const text = `Invalid '${param}.id': string too long. Expected a string with maximum length ${maxIdLength}, but got a string with length ${id.length} instead.`
      return apiError(text, { param: `${param}.id`, code: "string_above_max_length" })
    }
    if (!namePattern.test(name)) {
      const text = `Invalid '${param}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
      return apiError(text, { param: `${param}.function.name`, code: "invalid_value" })
    }
  }
  return undefined
}

/** Checks that each call is answered exactly once, by a tool message directly after the assistant message. */
export const sequenceError = (messages: ReadonlyArray<Message>): ApiError | undefined => {
  let waiting: Array<string> = []
  const missing = (index: number) =>
    apiError(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${waiting.join(", ")}`,
      { param: `messages.[${index}].role` }
    )
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const place = waiting.indexOf(message.tool_call_id ?? "")
      if (place < 0) {
        const text =
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        return apiError(text, { param: `messages.[${index}].role` })
      }
      waiting.splice(place, 1)
      continue
    }
    if (waiting.length > 0) return missing(index)
    waiting = (message.tool_calls ?? []).map(({ id }) => id)
    if (new Set(waiting).size < waiting.length || waiting.includes("")) {
      return apiError("Duplicate or empty tool_call ids.", { param: `messages.[${index}].tool_calls` })
    }
  }
  return waiting.length > 0 ? missing(messages.length) : undefined
}

/** Returns the error with which the API refuses a request, or undefined if the API accepts the request. */
export const refusal = (body: RequestBody): ApiError | undefined => {
  const [first] = schemaErrors("CreateChatCompletionRequest", body)
  if (first !== undefined) return apiError(`Invalid request: ${first}`)
  const messages = body.messages ?? []
  if (body.model === undefined) return apiError("you must provide a model parameter")
  if (messages.length === 0)
    return apiError("Invalid 'messages': empty array.", { param: "messages", code: "empty_array" })
  if (body["stream_options"] !== undefined && body.stream !== true) {
    return apiError("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options"
    })
  }
  for (const field of ["tool_choice", "parallel_tool_calls"]) {
    if (body[field] !== undefined && body.tools === undefined) {
      return apiError(`Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`, {
        param: field
      })
    }
  }
  for (const [
    index,
    {
      function: { name }
    }
  ] of (body.tools ?? []).entries()) {
    if (!namePattern.test(name)) {
      const param = `tools[${index}].function.name`
      return apiError(`Invalid '${param}': string does not match pattern.`, { param, code: "invalid_value" })
    }
  }
  for (const [index, message] of messages.entries()) {
    const error = messageError(message, index)
    if (error !== undefined) return error
  }
  return sequenceError(messages)
}
