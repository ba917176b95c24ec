/**
 * Converts the arguments of a call between the text that a model wrote and the value that a program reads.
 *
 * - A text that contains one JSON object becomes that object. Any other text stays unchanged, so that the guard's
 *   parser reports the fault: cut or malformed JSON, a list, a JSON string that contains an object, a text that is too
 *   large or nested too deeply, a repeated field, a field named `__proto__`.
 * - A blank text becomes `{}`, because several servers send it for a call without arguments.
 * - If serialising the value would yield a different text, the original text is kept in the part's options under
 *   `openai.arguments`. The provider gets the same bytes back, so that its prompt cache still hits.
 */
import { canonical } from "#domain/call/CallKey"
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonText from "#domain/json/JsonText"

/** The options of a part, valid for both `Prompt` and `Response` of effect/ai. */
type Options = { readonly [provider: string]: { readonly [field: string]: string } }

/** The value of an argument text, and the options for its part. */
interface ReadArguments {
  readonly params: unknown
  readonly options: Options
}

const isBlank = (text: string): boolean => text.trim() === ""

const bom = 0xfeff

/** Reads a text that is blank or contains one JSON object within the limits of arguments. */
const readObject = (text: string): JsonText.Arguments | undefined => {
  if (text.charCodeAt(0) === bom) return undefined
  const parsed = JsonText.parseArguments(text, JsonText.argumentLimits)
  if (parsed._tag === "Failure" || parsed.success.doubleEncoded) return undefined
  return isJsonObject(parsed.success.value) ? parsed.success : undefined
}

const unchanged = (text: string): ReadArguments => ({ params: text, options: {} })

/** Reads the text of a call's arguments. Never fails: a text that is not a JSON object stays text. */
export const read = (text: string): ReadArguments => {
  const found = readObject(text)
  if (found === undefined || found.duplicate !== undefined) return unchanged(text)
  const { value: params } = found
  return { params, options: JSON.stringify(params) === text ? {} : { openai: { arguments: text } } }
}

/**
 * Returns a string verbatim, and any other value as JSON. Never fails: a value that JSON cannot represent is written in
 * canonical form (`CallKey`).
 */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return canonical(value)
  }
}

/** The fields of a call that `write` needs. */
interface Arguments {
  readonly params: unknown
  readonly options: { readonly [provider: string]: unknown }
}

/**
 * Returns the text of a call's arguments that was kept in its options, or undefined if no text was kept.
 *
 * **Gotchas**
 *
 * The kept text is ignored if it no longer has the value of `params`. Code that replaces `params` need not change the
 * options.
 */
export const keptText = ({ options, params }: Arguments): string | undefined => {
  const fields = options["openai"]
  if (!isJsonObject(fields) || !("arguments" in fields) || typeof fields.arguments !== "string") return undefined
  return textOf(read(fields.arguments).params) === textOf(params) ? fields.arguments : undefined
}

/** Writes the arguments of a call: the model's text if it was kept, otherwise the value as JSON. */
export const write = (call: Arguments): string => keptText(call) ?? textOf(call.params)

/**
 * Writes the arguments of a call as one JSON object, even if the model wrote other text.
 *
 * **Details**
 *
 * Several servers (vLLM, llama.cpp, Ollama) parse the arguments of every earlier call. They reject the whole request if
 * the arguments of one call are malformed, which would end the conversation. A malformed text is therefore sent as
 * `{"malformed_arguments": text}`.
 */
export const writeObject = (call: Arguments): string => {
  const text = write(call)
  if (isBlank(text)) return "{}"
  return readObject(text) === undefined ? JSON.stringify({ malformed_arguments: text }) : text
}

const isMalformed = (value: object): value is { readonly malformed_arguments: string } =>
  "malformed_arguments" in value && typeof value.malformed_arguments === "string" && Object.keys(value).length === 1

/** Returns the object that `writeObject` writes, for formats in which arguments are a value. */
export const toObject = (call: Arguments): { readonly [name: string]: unknown } => JSON.parse(writeObject(call))

/** Reads arguments from a format in which they are a value. Restores malformed text that `toObject` wrapped. */
export const fromObject = (value: unknown): unknown => {
  if (typeof value === "string") return read(value).params
  if (!isJsonObject(value) || !isMalformed(value)) return value === undefined ? {} : value
  const text = value.malformed_arguments
  return readObject(text) === undefined ? text : value
}
