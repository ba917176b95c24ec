/**
 * The validation rules of OpenAI's Responses API, with its error messages: the schemas, and the rules that a schema cannot
 * express (calls and their outputs, reasoning and the items that follow it, ids of items, fields that require others).
 */
import { apiError, type ApiError } from "./OpenAiRules.ts"
import { schemaErrors } from "./ResponsesSchema.ts"

/** An item of a conversation. */
export interface Item {
  readonly type?: string
  readonly role?: string
  readonly id?: string
  readonly call_id?: string
  readonly name?: string
  readonly [field: string]: unknown
}

/** The fields of a request body that the rules read. */
export interface RequestBody {
  readonly model?: string
  readonly input?: string | ReadonlyArray<Item>
  readonly tools?: ReadonlyArray<{ readonly type: string; readonly name?: string }>
  readonly stream?: boolean
  readonly store?: boolean
  readonly include?: ReadonlyArray<string>
  readonly previous_response_id?: string
  readonly [field: string]: unknown
}

/** Returns the items of a request. */
export const itemsOf = ({ input }: RequestBody): ReadonlyArray<Item> =>
  typeof input === "string" ? [{ role: "user", content: input }] : (input ?? [])

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/
const maxIdLength = 64

const prefixes: { readonly [type: string]: string } = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs"
}

/** True for the calls that the caller must answer. */
const isCall = ({ type = "" }: Item): boolean =>
  /^(?:function|custom_tool|local_shell|shell|apply_patch|computer)_call$/u.test(type)

/** True for the items that the model made. */
const isAnswer = ({ role, type }: Item): boolean =>
  role === "assistant" || (type !== undefined && type !== "message" && !type.endsWith("_output"))

const itemError = (item: Item, index: number): ApiError | undefined => {
  const prefix = prefixes[item.type ?? ""]
  if (item.id !== undefined && prefix !== undefined && !item.id.startsWith(prefix)) {
    return apiError(`Invalid 'input[${index}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`, {
      param: `input[${index}].id`,
      code: "invalid_value"
    })
  }
  if (item.call_id !== undefined && (item.call_id === "" || item.call_id.length > maxIdLength)) {
    const param = `input[${index}].call_id`
    return apiError(`Invalid '${param}': expected a string of 1 to ${maxIdLength} characters.`, { param })
  }
  if (/^(?:function|custom_tool)_call$/u.test(item.type ?? "") && !namePattern.test(item.name ?? "")) {
    const param = `input[${index}].name`
    return apiError(`Invalid '${param}': string does not match pattern '^[a-zA-Z0-9_-]+$'.`, {
      param,
      code: "invalid_value"
    })
  }
  return undefined
}

/** Checks that reasoning can be read, and that an item of its answer follows it. */
const reasoningError = (items: ReadonlyArray<Item>, isStored: (id: string) => boolean): ApiError | undefined => {
  for (const [index, item] of items.entries()) {
    if (item.type !== "reasoning") continue
    const { content, encrypted_content: encrypted, id = "" } = item
    if ((encrypted ?? "") === "" && !Array.isArray(content) && !isStored(id)) {
      return apiError(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { param: "input" }
      )
    }
    const next = items[index + 1]
    if (next === undefined || !isAnswer(next)) {
      return apiError(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
        param: "input"
      })
    }
  }
  return undefined
}

/** Checks that ids are unique, that each call has one output, and that each output has a call. */
const sequenceError = (
  items: ReadonlyArray<Item>,
  earlierCalls: ReadonlySet<string> = new Set()
): ApiError | undefined => {
  const ids = new Set<string>()
  const open = new Set(earlierCalls)
  for (const item of items) {
    if (item.id !== undefined && ids.has(item.id)) {
      return apiError(
        `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`,
        {
          param: "input"
        }
      )
    }
    if (item.id !== undefined) ids.add(item.id)
    const callId = item.call_id ?? ""
    if (isCall(item)) {
      if (open.has(callId)) return apiError(`Duplicate function call with call_id ${callId}.`, { param: "input" })
      open.add(callId)
    } else if (item.type?.endsWith("_call_output") === true && !open.delete(callId)) {
      return apiError(`No tool call found for function call output with call_id ${callId}.`, { param: "input" })
    }
  }
  const [missing] = open
  return missing === undefined
    ? undefined
    : apiError(`No tool output found for function call ${missing}.`, { param: "input" })
}

/** What the server has stored of an earlier response. */
export interface Stored {
  /** The ids of the calls without an output. */
  readonly openCalls: ReadonlySet<string>
}

/** Returns the error for the items of a request, or undefined if the API accepts them. */
export const itemsError = (items: ReadonlyArray<Item>, stored?: Stored): ApiError | undefined => {
  for (const [index, item] of items.entries()) {
    const error = itemError(item, index)
    if (error !== undefined) return error
  }
  return reasoningError(items, () => stored !== undefined) ?? sequenceError(items, stored?.openCalls)
}

/** Returns the calls of items that have no output. */
export const openCalls = (items: ReadonlyArray<Item>): ReadonlySet<string> => {
  const outputs = new Set(items.flatMap((item) => (item.type?.endsWith("_output") === true ? [item.call_id] : [])))
  return new Set(items.flatMap((item) => (isCall(item) && !outputs.has(item.call_id) ? [item.call_id ?? ""] : [])))
}

/** Returns the error with which the API refuses a request, or undefined if the API accepts the request. */
export const refusal = (body: RequestBody, stored?: Stored): ApiError | undefined => {
  const [first] = schemaErrors("CreateParams", body)
  if (first !== undefined) return apiError(`Invalid request: ${first}`)
  if (body.model === undefined) return apiError("Missing required parameter: 'model'.", { param: "model" })
  const items = itemsOf(body)
  if (items.length === 0 && stored === undefined) {
    return apiError("Missing required parameter: 'input'.", { param: "input", code: "missing_required_parameter" })
  }
  for (const field of ["tool_choice", "parallel_tool_calls"]) {
    if (body[field] !== undefined && body.tools === undefined) {
      return apiError(`'${field}' is only allowed when 'tools' are specified.`, { param: field })
    }
  }
  for (const [index, { name, type }] of (body.tools ?? []).entries()) {
    if (type === "function" && !namePattern.test(name ?? "")) {
      const param = `tools[${index}].name`
      return apiError(`Invalid '${param}': string does not match pattern.`, { param, code: "invalid_value" })
    }
  }
  return itemsError(items, stored)
}
