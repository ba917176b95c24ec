/**
 * [15.2] The arguments of a call as they were received: text that a model wrote, or a value that a host or a program
 * passed.
 *
 * **Details**
 *
 * - If a host has parsed the model's text and has not kept it, the text is the value's JSON.
 * - Texts within the limit of arguments are returned whole, and longer ones cut: `parse` refuses those.
 */
import { canonical } from "#domain/call/CallKey"
import * as JsonText from "#domain/json/JsonText"
import type { Call } from "#pipeline/call/Call"

/** The maximum number of characters of a text that is longer than the limit of arguments. */
const longestCut = 10_240

interface Received {
  /** Absent if a program passed a value. */
  readonly text?: string
  /** The JSON value that a host or a program passed; absent if it is too large or is not JSON. */
  readonly value?: unknown
}

/** What is known about the arguments of a call, besides their decoded form. */
export const of = ({ argumentsText, input, origin }: Pick<Call, "argumentsText" | "input" | "origin">): Received => {
  if (origin === "text") return { text: within(argumentsText ?? String(input)) }
  const json = jsonOf(input)
  const value = json.length > JsonText.argumentLimits.maxBytes ? undefined : parsed(json)
  const text = origin === "parsed" ? within(argumentsText ?? json) : value === undefined ? within(json) : undefined
  return { ...(text === undefined ? {} : { text }), ...(value === undefined ? {} : { value }) }
}

const within = (text: string): string =>
  text.length > JsonText.argumentLimits.maxBytes ? text.slice(0, longestCut) : text

/** The value as JSON. A value that JSON cannot represent has its canonical form. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return canonical(value)
  }
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
