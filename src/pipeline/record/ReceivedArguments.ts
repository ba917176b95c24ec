/**
 * [15.2] The arguments of a call as they were received: text that a model wrote, or a value that a host or a program
 * passed.
 *
 * **Details**
 *
 * - If a host has parsed the model's text and has not kept it, the text is the value's JSON.
 * - A text within the limit of arguments is returned whole. Of a longer text, at most 10,240 characters are kept;
 *   `parse` refuses such a call of a model or a host.
 */
import { canonical } from "#domain/call/CallKey"
import type { Call } from "#pipeline/call/Call"

/** The length in characters to which a text over the limit of arguments is cut. */
const longestCut = 10_240

interface ReceivedArguments {
  /** The text; absent if a program passed a value that is kept in `value`. */
  readonly text?: string
  /** The JSON value that a host or a program passed; absent if it is too large or is not JSON. */
  readonly value?: unknown
}

/** Returns the arguments of a call as they were received, before decoding. */
export const of = ({
  argumentsText,
  input,
  origin,
  tool
}: Pick<Call, "argumentsText" | "input" | "origin" | "tool">): ReceivedArguments => {
  const { maxBytes } = tool.definition.argumentLimits
  const within = (text: string) => (text.length > maxBytes ? text.slice(0, longestCut) : text)
  if (origin === "text") return { text: within(argumentsText ?? String(input)) }
  const json = jsonOf(input)
  const value = json.length > maxBytes ? undefined : parsed(json)
  const text = origin === "parsed" ? within(argumentsText ?? json) : value === undefined ? within(json) : undefined
  return { ...(text === undefined ? {} : { text }), ...(value === undefined ? {} : { value }) }
}

/** Returns the value as JSON, or its canonical form if JSON cannot represent the value. */
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
