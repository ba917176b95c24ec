/**
 * [4.15] The cause of a failure as a record holds it: as JSON, without secrets, and bounded, because some upstreams answer
 * an error with megabytes.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import * as JsonWeight from "#domain/json/JsonWeight"
import * as Schema from "effect/Schema"

/** How the texts and the data of a cause are redacted. */
interface Redaction {
  readonly text: (text: string) => string
  readonly data: (value: unknown) => unknown
}

/** The maximum number of characters of a text of a cause, and of the JSON of its fields, estimated. */
const longest = 500_000

/** The number of errors that are followed from `cause` to `cause`. */
const longestChain = 16

/**
 * Returns the redacted cause. The texts of an error are redacted as texts, which finds more than the rules for results.
 * Texts that are too long are cut. A value that is too large, and is not an error, is replaced by its scalar fields.
 */
export const of = ({ data, text }: Redaction, cause: unknown): unknown => {
  const redacted = (encoded: unknown): unknown =>
    isJsonObject(encoded)
      ? {
          ...encoded,
          ...(typeof encoded["message"] === "string" ? { message: text(encoded["message"]) } : {}),
          ...(typeof encoded["stack"] === "string" ? { stack: text(encoded["stack"]) } : {}),
          ...("cause" in encoded ? { cause: redacted(encoded["cause"]) } : {})
        }
      : encoded
  try {
    return decode(redacted(data(encode(bounded(cause, 0)))))
  } catch {
    return "a cause that cannot be written"
  }
}

/** Returns the cause without what is too large. A cause that is small is returned unchanged. */
const bounded = (cause: unknown, depth: number): unknown => {
  if (typeof cause === "string") return short(cause)
  if (cause instanceof Error) return boundedError(cause, depth)
  if (!isJsonObject(cause) || JsonWeight.estimate(cause, longest) <= longest) return cause
  return scalarsOf(cause)
}

const boundedError = (error: Error, depth: number): unknown => {
  const { cause, message, name, stack } = error
  const inner = depth === longestChain ? undefined : bounded(cause, depth + 1)
  if (inner === cause && message.length + (stack?.length ?? 0) <= longest) return error
  return {
    name,
    message: short(message),
    ...(stack === undefined ? {} : { stack: short(stack) }),
    ...(inner === undefined ? {} : { cause: inner })
  }
}

/** Returns the fields that are no lists or objects, and says what is left out. */
const scalarsOf = (value: Readonly<Record<string, unknown>>): unknown => {
  const scalars = Object.entries(value).filter(([, field]) => typeof field !== "object" || field === null)
  const texts = scalars
    .slice(0, 50)
    .map(([name, field]) => [name, typeof field === "string" ? short(field, 10_000) : field])
  return { ...Object.fromEntries(texts), omitted: "the other fields, which are too large for a record" }
}

/** Cuts a long text before a word, so that no part of a secret remains that is too short to be recognised. */
const short = (text: string, most = longest): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/\S{1,1000}$/u, "")}… (${text.length} characters)`

const codec = Schema.Defect({ includeStack: true })
const encode = Schema.encodeUnknownSync(codec)
const decode = Schema.decodeUnknownSync(codec)
