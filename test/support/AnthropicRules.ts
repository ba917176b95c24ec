/**
 * The validation rules of Anthropic's messages API, with its error messages: the published schema, and the rules that a schema
 * cannot express (order of messages and blocks, ids, mutually exclusive fields).
 */
import * as ProtocolSchema from "./protocolSchema.ts"

const schema = ProtocolSchema.read("anthropic/messages.schema.json")

/** Validates a value against a definition of the published schema. Returns the errors. */
export const schemaErrors = schema.errors

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
  readonly content?: string | ReadonlyArray<Block>
  readonly is_error?: boolean
  readonly cache_control?: unknown
  readonly [field: string]: unknown
}

interface Message {
  readonly role: "user" | "assistant"
  readonly content: string | ReadonlyArray<Block>
}

/** The fields of a request body that the rules read. */
export interface RequestBody {
  readonly model?: string
  readonly max_tokens?: number
  readonly system?: string | ReadonlyArray<Block>
  readonly messages?: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<{
    readonly name: string
    readonly cache_control?: unknown
    readonly [field: string]: unknown
  }>
  readonly tool_choice?: { readonly type: string; readonly [field: string]: unknown }
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly temperature?: number
  readonly stream?: boolean
  readonly [field: string]: unknown
}

const blocksOf = ({ content }: Message): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const name = /^[a-zA-Z0-9_-]{1,128}$/u

const contentError = (message: Message, place: string, isLast: boolean): string | undefined => {
  const blocks = blocksOf(message)
  if (blocks.length === 0) return `${place}: all messages must have non-empty content`
  for (const [index, block] of blocks.entries()) {
    const at = `${place}.content.${index}`
    if (block.type === "text") {
      if (block.text === "") return `${at}: text content blocks must be non-empty`
      if (block.text?.trim() === "") return `${at}: text content blocks must contain non-whitespace text`
    }
    if (block.type === "tool_use" && !name.test(block.name ?? "")) {
      return `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
    }
    if (block.type === "tool_result" && block.is_error === true && (block.content ?? []).length === 0) {
      return `${at}: content cannot be empty if \`is_error\` is true`
    }
  }
  const last = blocks.at(-1)
  if (isLast && message.role === "assistant" && last?.type === "text" && last.text !== last.text?.trimEnd()) {
    return "messages: final assistant content cannot end with trailing whitespace"
  }
  return undefined
}

/**
 * Checks that roles alternate, that call ids are unique, and that the first blocks of the next message answer each call
 * once.
 */
const sequenceError = (messages: ReadonlyArray<Message>): string | undefined => {
  const used = new Set<string>()
  let waiting: ReadonlyArray<string> = []
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`
    if (message.role !== (index % 2 === 0 ? "user" : "assistant")) {
      return index === 0
        ? 'messages: first message must use the "user" role'
        : `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`
    }
    const blocks = blocksOf(message)
    const results = blocks.flatMap((block, at) =>
      block.type === "tool_result" ? [{ at, id: block.tool_use_id ?? "" }] : []
    )
    const first = new Set<string>()
    for (const { at, id } of results) {
      if (!waiting.includes(id)) {
        return `${place}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      }
      if (first.has(id)) {
        return `${place}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
      }
      first.add(id)
    }
    const missing = waiting.filter((id) => !first.has(id) || results.some(({ at }) => at >= waiting.length))
    if (missing.length > 0) {
      return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    }
    waiting = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id ?? ""] : []))
    for (const id of waiting) {
      if (used.has(id)) return `${place}: \`tool_use\` ids must be unique`
      used.add(id)
    }
    if (message.role === "user" && waiting.length > 0)
      return `${place}: \`tool_use\` blocks can only be in assistant messages`
  }
  return waiting.length === 0
    ? undefined
    : `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${waiting.join(", ")}.`
}

/** Checks the rules for messages that the schema does not express. Returns the first error. */
export const messagesError = (messages: ReadonlyArray<Message>): string | undefined => {
  if (messages.length === 0) return "messages: at least one message is required"
  for (const [index, message] of messages.entries()) {
    const error = contentError(message, `messages.${index}`, index === messages.length - 1)
    if (error !== undefined) return error
  }
  return sequenceError(messages)
}

const breakpoints = ({ messages = [], system, tools = [] }: RequestBody): number =>
  [...tools, ...(Array.isArray(system) ? system : []), ...messages.flatMap(blocksOf)].filter(
    ({ cache_control: control }) => control !== undefined && control !== null
  ).length

const thinkingError = ({ max_tokens = 0, temperature, thinking, tool_choice }: RequestBody): string | undefined => {
  if (thinking === undefined || thinking.type === "disabled") return undefined
  if ((thinking.budget_tokens ?? 0) >= max_tokens) return "`max_tokens` must be greater than `thinking.budget_tokens`."
  if (temperature !== undefined && temperature !== 1) {
    return "`temperature` may only be set to 1 when thinking is enabled."
  }
  return tool_choice?.type === "any" || tool_choice?.type === "tool"
    ? "Thinking may not be enabled when tool_choice forces tool use."
    : undefined
}

/** Checks the additional rules of versions from 2026-10-21 on. */
const versionError = (body: RequestBody): string | undefined => {
  const removed = ["temperature", "top_p", "top_k"].find((field) => body[field] !== undefined)
  if (removed !== undefined) return `${removed}: Extra inputs are not permitted`
  for (const [index, { content, role }] of (body.messages ?? []).entries()) {
    if (typeof content === "string") continue
    const wrong = content.findIndex((block) =>
      role === "assistant"
        ? block.type === "document"
        : block.type === "text" && Array.isArray(block["citations"]) && block["citations"].length > 0
    )
    if (wrong >= 0) return `messages.${index}.content.${wrong}: not permitted in a message of the role ${role}`
  }
  return undefined
}

/** Returns the error with which the API refuses a request, or undefined if the API accepts the request. */
export const refusal = (body: RequestBody, version = "2026-10-21"): string | undefined => {
  const ofVersion = version >= "2026-10-21" ? versionError(body) : undefined
  if (ofVersion !== undefined) return ofVersion
  const [first] = schemaErrors("CreateMessageParams", body)
  if (first !== undefined) return first
  const { max_tokens, messages = [], model, system, tool_choice, tools } = body
  if (model === undefined) return "model: Field required"
  if (max_tokens === undefined) return "max_tokens: Field required"
  if (Array.isArray(system) && system.some(({ text }) => (text ?? "").trim() === "")) {
    return "system: text content blocks must contain non-whitespace text"
  }
  if (tool_choice !== undefined && tools === undefined) {
    return "tool_choice: tool_choice may only be specified while providing tools"
  }
  const names = (tools ?? []).map((tool) => tool.name)
  if (new Set(names).size < names.length) return "tools: Tool names must be unique."
  const wrong = names.findIndex((each) => !name.test(each))
  if (wrong >= 0) return `tools.${wrong}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
  if (breakpoints(body) > 4)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints(body)}.`
  return thinkingError(body) ?? messagesError(messages)
}
