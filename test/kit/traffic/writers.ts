/** Writes a conversation in five formats, as logging programs do: the inverse of the readers. */
import type { Conversation, RecordedMessage } from "#kit/traffic/Conversation"
import { span, spans } from "./otlp.ts"

const parsed = (args: unknown): unknown => {
  try {
    return JSON.parse(String(args))
  } catch {
    return args
  }
}

/** Returns each answer of the model with the history before it. */
const rounds = (messages: ReadonlyArray<RecordedMessage>) =>
  messages.flatMap((message, index) =>
    message.role === "assistant" ? [{ before: messages.slice(0, index), answer: message }] : []
  )

const openAiMessage = (message: RecordedMessage): object => {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.text }
  if (message.role !== "assistant" || message.calls.length === 0) return { role: message.role, content: message.text }
  const listed = message.calls.map(({ arguments: args, id, name }) => ({
    id,
    type: "function",
    function: { name, arguments: args }
  }))
  return { role: "assistant", content: message.text, tool_calls: listed }
}

/** Writes one line per request, each with the whole history. */
export const openAiLog = ({ id, messages }: Conversation, isNamed: boolean): ReadonlyArray<unknown> =>
  rounds(messages).map(({ answer, before }) => ({
    ...(isNamed ? { conversation_id: id } : {}),
    request: { model: "m", messages: before.map(openAiMessage) },
    response: { choices: [{ index: 0, message: openAiMessage(answer) }] }
  }))

const blocksOf = (message: Extract<RecordedMessage, { role: "assistant" }>): ReadonlyArray<object> => [
  ...(message.text === "" ? [] : [{ type: "text", text: message.text }]),
  ...message.calls.map(({ arguments: args, id, name }) => ({ type: "tool_use", id, name, input: parsed(args) }))
]

const anthropicMessage = (message: RecordedMessage): object =>
  message.role === "assistant"
    ? { role: "assistant", content: blocksOf(message) }
    : message.role === "tool"
      ? { role: "user", content: [{ type: "tool_result", tool_use_id: message.callId, content: message.text }] }
      : { role: message.role, content: message.text }

/** Writes one line per request, each with the whole history. */
export const anthropicLog = ({ id, messages }: Conversation): ReadonlyArray<unknown> =>
  rounds(messages).map(({ answer, before }) => ({
    session_id: id,
    request: { messages: before.map(anthropicMessage) },
    response: { role: "assistant", content: blocksOf(answer), stop_reason: "end_turn" }
  }))

const genAiMessage = (message: RecordedMessage): object => {
  if (message.role === "tool") {
    return { role: "tool", parts: [{ type: "tool_call_response", id: message.callId, response: message.text }] }
  }
  const text = message.text === "" ? [] : [{ type: "text", content: message.text }]
  if (message.role !== "assistant") return { role: message.role, parts: text }
  const calls = message.calls.map(({ arguments: args, id, name }) => ({
    type: "tool_call",
    id,
    name,
    arguments: parsed(args)
  }))
  return { role: "assistant", parts: [...text, ...calls] }
}

/** Writes one line per request, with its span. */
export const genAiLog = ({ id, messages }: Conversation): ReadonlyArray<unknown> =>
  rounds(messages).map(({ answer, before }, index) =>
    spans(
      span("chat m", index, {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": id,
        "gen_ai.input.messages": JSON.stringify(before.map(genAiMessage)),
        "gen_ai.output.messages": JSON.stringify([genAiMessage(answer)])
      })
    )
  )

/** Writes one line of UI messages, in which an assistant message holds its rounds and their results. */
export const uiMessages = ({ id, messages }: Conversation): ReadonlyArray<unknown> => {
  const list: Array<{ role: string; parts: Array<any> }> = []
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue
    if (message.role !== "assistant") {
      list.push({ role: message.role, parts: [{ type: "text", text: message.text }] })
      continue
    }
    const last = list.at(-1)
    const own = last?.role === "assistant" ? last : { role: "assistant", parts: [] }
    if (own !== last) list.push(own)
    own.parts.push({ type: "step-start" })
    if (message.text !== "") own.parts.push({ type: "text", text: message.text })
    const results = resultsAfter(messages, index)
    for (const { arguments: args, id: toolCallId, name } of message.calls) {
      const at = results.findIndex(({ callId }) => callId === toolCallId)
      const [result] = at === -1 ? [] : results.splice(at, 1)
      const part = { type: `tool-${name}`, toolCallId, input: parsed(args) }
      own.parts.push(
        result === undefined
          ? { ...part, state: "input-available" }
          : { ...part, state: "output-available", output: result.text }
      )
    }
  }
  return [{ id, messages: list }]
}

const resultsAfter = (messages: ReadonlyArray<RecordedMessage>, index: number) => {
  const results: Array<Extract<RecordedMessage, { role: "tool" }>> = []
  for (const message of messages.slice(index + 1)) {
    if (message.role !== "tool") break
    results.push(message)
  }
  return results
}

/** Writes one line per event, with each block of an answer on a separate line. */
export const sessionEvents = ({ id, messages }: Conversation): ReadonlyArray<unknown> =>
  messages.flatMap((message, index) => {
    const event = { sessionId: id, isSidechain: false }
    if (message.role !== "assistant") return [{ ...event, type: "user", message: anthropicMessage(message) }]
    const blocks = blocksOf(message)
    return (blocks.length === 0 ? [[]] : blocks.map((block) => [block])).map((content) => ({
      ...event,
      type: "assistant",
      message: { id: `msg_${index}`, role: "assistant", content }
    }))
  })
