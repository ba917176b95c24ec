/** Reads a conversation as a chat completions request holds it. All that the models of this example know stands in there. */

/** A message of a request, as far as the models read it. */
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

/** A call, and what the tool answered. */
export interface Exchange {
  readonly call: Call
  readonly answer: string
}

export type Fields = Readonly<Record<string, unknown>>

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("")

/** JSON text as an object; undefined for anything else. */
export const objectIn = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/** The fields of a value; none where it is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** What the user asked last. */
export const question = (messages: ReadonlyArray<Message>): string => {
  const last = messages.findLast(({ role }) => role === "user")
  return last === undefined ? "" : textOf(last)
}

/** The calls since that question, each with its answer, in their order. */
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
