/**
 * The arguments of a call in their two forms: the text that a model wrote, and the value that a program reads.
 *
 * - Text that holds one JSON object becomes that object. Anything else (cut or malformed JSON, a list, a JSON string
 *   that holds an object, text that is too large or nested too deeply, a field given twice, one named `__proto__`)
 *   stays the text as it was written, so that the guard's own parser says what is wrong.
 * - Blank text is `{}`: several servers write it for a call without arguments.
 * - Where writing the value again would give other bytes, the text is kept beside it, in the part's options under
 *   `openai.arguments`: what is sent back is what was written, and a provider's prompt cache keeps hitting.
 */
import { canonical } from "#domain/call/CallKey"
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonText from "#domain/json/JsonText"

/** Options of a part, as effect/ai's `Prompt` and `Response` both hold them. */
export type Options = { readonly [provider: string]: { readonly [field: string]: string } }

/** The value of an argument text, and the options that belong into the part that carries it. */
export interface Read {
  readonly params: unknown
  readonly options: Options
}

const isBlank = (text: string): boolean => text.trim() === ""

const bom = 0xfeff

/** Reads text that is blank, or holds one JSON object within the limits of arguments. */
const readObject = (text: string): JsonText.Arguments | undefined => {
  if (isBlank(text)) return { value: {}, doubleEncoded: false }
  if (text.charCodeAt(0) === bom) return undefined
  const parsed = JsonText.parseArguments(text, JsonText.argumentLimits)
  if (parsed._tag === "Failure" || parsed.success.doubleEncoded) return undefined
  return isJsonObject(parsed.success.value) ? parsed.success : undefined
}

const asWritten = (text: string): Read => ({ params: text, options: {} })

/** Reads the text of a call's arguments. Total: what is not a JSON object stays text. */
export const read = (text: string): Read => {
  const found = readObject(text)
  if (found === undefined || found.duplicate !== undefined) return asWritten(text)
  const { value: params } = found
  return { params, options: JSON.stringify(params) === text ? {} : { openai: { arguments: text } } }
}

/** A value as text: a string verbatim, anything else as JSON. Total: what JSON cannot hold gets its canonical form. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? "null"
  } catch {
    return canonical(value)
  }
}

/** What `write` reads of a call. */
export interface Written {
  readonly params: unknown
  readonly options: { readonly [provider: string]: unknown }
}

/**
 * Writes the arguments of a call as the model wrote them, byte for byte where that is known.
 *
 * **Gotchas**
 *
 * The kept text counts only while it says the same as `params`: whoever replaces `params` need not touch the options.
 */
export const write = ({ options, params }: Written): string => {
  if (typeof params === "string") return params
  const kept = options["openai"]
  if (isJsonObject(kept) && "arguments" in kept && typeof kept.arguments === "string") {
    const text = kept.arguments
    if (textOf(read(text).params) === textOf(params)) return text
  }
  return textOf(params)
}

/**
 * Writes the arguments of a call so that they are one JSON object, whatever the model wrote.
 *
 * **Details**
 *
 * Several servers (vLLM, llama.cpp, Ollama) parse the arguments of every earlier call and refuse the whole request
 * where one is malformed: the conversation would be lost. Such text is sent as `{"malformed_arguments": text}`.
 */
export const writeObject = (call: Written): string => {
  const text = write(call)
  if (isBlank(text)) return "{}"
  return readObject(text) === undefined ? JSON.stringify({ malformed_arguments: text }) : text
}

const isMalformed = (value: object): value is { readonly malformed_arguments: string } =>
  "malformed_arguments" in value && typeof value.malformed_arguments === "string" && Object.keys(value).length === 1

/** Arguments as one JSON object, for formats that take no text: as `writeObject` writes them. */
export const toObject = (call: Written): { readonly [name: string]: unknown } => JSON.parse(writeObject(call))

/** Arguments that a format holds as a value. What `toObject` made of malformed text becomes that text again. */
export const fromObject = (value: unknown): unknown => {
  if (typeof value === "string") return read(value).params
  if (!isJsonObject(value) || !isMalformed(value)) return value === undefined ? {} : value
  const text = value.malformed_arguments
  return readObject(text) === undefined ? text : value
}
