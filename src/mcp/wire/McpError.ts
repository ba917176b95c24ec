/**
 * Defines the error of a connection to an MCP server or client, with the place and an excerpt of a broken message.
 *
 * `reason` is the cause of the failure:
 *
 * - `not_started`: the program cannot be started or the address cannot be reached; nothing was sent.
 * - `ended`: the request was made after the server had ended. It was not executed, and repeating it is useless.
 * - `gone`: the connection ended. A request that was in progress may have been executed.
 * - `no_answer`: no answer arrived in time. The request may have been executed.
 * - `broken_message`: the other side sent something that is not a protocol message; `place` and `excerpt` show it.
 * - `too_large`: a message exceeds the limit. `too_many`: too many requests are waiting.
 * - `http`: an error status. `refused`: the other side answered with an error; `code` is its code.
 * - `version`: the sides share no protocol version.
 */
import * as Schema from "effect/Schema"

export const Reason = Schema.Literals([
  "not_started",
  "ended",
  "gone",
  "no_answer",
  "broken_message",
  "too_large",
  "too_many",
  "http",
  "refused",
  "version"
])
export type Reason = typeof Reason.Type

export class McpError extends Schema.TaggedError<McpError>("effect-toolguard/mcp/McpError")("McpError", {
  reason: Reason,
  message: Schema.String,
  /** The place of the message, such as `line 3`. */
  place: Schema.optionalKey(Schema.String),
  /** The beginning of the message, at most 120 characters. */
  excerpt: Schema.optionalKey(Schema.String),
  /** The status of an HTTP answer, or the code of a JSON-RPC error. */
  code: Schema.optionalKey(Schema.Finite),
  /** The data of the other side's error. */
  data: Schema.optionalKey(Schema.Unknown),
  /** `Retry-After` of an HTTP answer, unchanged. */
  retryAfter: Schema.optionalKey(Schema.String)
}) {}

/** The maximum length of an excerpt, in characters. */
const maxExcerpt = 120

/** Returns the beginning of a message, in one line. */
export const excerptOf = (text: string, max = maxExcerpt): string => {
  const line = text
    .slice(0, max * 2)
    .replaceAll(/\s+/gu, " ")
    .trim()
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`
}

/** Returns the error of a broken message. */
export const broken = (what: string, place: string, text: string): McpError => {
  const excerpt = excerptOf(text)
  return new McpError({ reason: "broken_message", message: `${place}: ${what}: ${excerpt}`, place, excerpt })
}

/** Returns the error of a connection that has ended. */
export const gone = (message: string): McpError => new McpError({ reason: "gone", message })

/** Returns the error of a request that was made after the connection had ended. */
export const ended = (error: McpError): McpError =>
  new McpError({
    ...(error.place === undefined ? {} : { place: error.place }),
    ...(error.excerpt === undefined ? {} : { excerpt: error.excerpt }),
    reason: "ended",
    message: error.message
  })
