/** Short recorded conversations for tests. */
import type { Conversation, RecordedMessage, RecordedTool } from "#kit/traffic/Conversation"

export const tool = (name: string, properties: object, more: object = {}): RecordedTool => ({
  name,
  description: "As recorded.",
  parameters: { type: "object", properties, additionalProperties: false, ...more }
})

/** Creates one call in a separate round, and its answer unless `text` is `undefined`. */
export const call = (name: string, args: unknown, text?: string, isError = false): ReadonlyArray<RecordedMessage> => {
  const id = `call_${(callCount += 1)}`
  const written = typeof args === "string" ? args : JSON.stringify(args)
  return [
    { role: "assistant", text: "", calls: [{ id, name, arguments: written }] },
    ...(text === undefined ? [] : [{ role: "tool" as const, callId: id, text, isError }])
  ]
}

let callCount = 0

export const user = (text: string): RecordedMessage => ({ role: "user", text })
export const said = (text: string): RecordedMessage => ({ role: "assistant", text, calls: [] })

export const conversation = (
  tools: ReadonlyArray<RecordedTool>,
  messages: ReadonlyArray<RecordedMessage>,
  { id = "one", line = 1 }: { readonly id?: string; readonly line?: number } = {}
): Conversation => ({ _tag: "Conversation", id, place: { file: "log.jsonl", line }, model: "model-1", tools, messages })
