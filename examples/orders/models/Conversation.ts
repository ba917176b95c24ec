/** Reads the conversation of a chat completions request. The example's models have no other state. */

/** A message of a request, with the fields that the models read. */
export interface Message {
  readonly role: string
  readonly content?: string | ReadonlyArray<{ readonly text?: string }> | null
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }>
  readonly tool_call_id?: string
}

/** A call of a tool. */
export interface Call {
  readonly name: string
  readonly arguments: unknown
}

/** A call and the tool's answer. */
export interface Exchange {
  readonly call: Call
  readonly answer: string
}

export type Fields = Readonly<Record<string, unknown>>

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("")

/** Narrows a value to a record, because TypeScript does not narrow an object to a record. */
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses JSON text as an object. Returns undefined for any other text. */
export const objectIn = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the fields of a value; empty if the value is not an object. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Returns the last message of the user. */
export const question = (messages: ReadonlyArray<Message>): string => {
  const last = messages.findLast(({ role }) => role === "user")
  return last === undefined ? "" : textOf(last)
}

/** Returns the answered calls since the user's last message, in order, each with its answer. */
export const exchanges = (messages: ReadonlyArray<Message>): ReadonlyArray<Exchange> => {
  const start = messages.findLastIndex(({ role }) => role === "user") + 1
  const since = messages.slice(start)
  return since.flatMap(({ tool_calls = [] }) =>
    tool_calls.flatMap(({ function: called, id }) => {
      const answer = since.find(({ role, tool_call_id }) => role === "tool" && tool_call_id === id)
      if (answer === undefined) return []
      return [{ call: { name: called.name, arguments: objectIn(called.arguments) ?? {} }, answer: textOf(answer) }]
    })
  )
}
