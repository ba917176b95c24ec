/**
 * What goes wrong between us and an MCP server or client, as one error: where it stands, and what was said there.
 *
 * `reason` says what became of the request that it ended:
 *
 * - `not_started`: the program cannot be started, the address not reached: nothing was sent.
 * - `gone`: the connection ended. A request that was under way may have been carried out.
 * - `no_answer`: none came in time. The same holds.
 * - `broken_message`: what came is no message of the protocol; `place` and `excerpt` show it.
 * - `too_large`: a message is larger than is read. `too_many`: more requests wait than may.
 * - `http`: a status that is no answer. `refused`: the other side answered with an error, `code` is its own.
 * - `version`: no version of the protocol is common.
 */
import * as Schema from "effect/Schema"

export const Reason = Schema.Literals([
  "not_started",
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
  /** The message that is meant, such as `line 3`. */
  place: Schema.optionalKey(Schema.String),
  /** Its beginning, at most 120 characters. */
  excerpt: Schema.optionalKey(Schema.String),
  /** The status of an HTTP answer, or the code of a JSON-RPC error. */
  code: Schema.optionalKey(Schema.Finite),
  /** What the other side says beside its code. */
  data: Schema.optionalKey(Schema.Unknown),
  /** `Retry-After` of an HTTP answer, as it was sent. */
  retryAfter: Schema.optionalKey(Schema.String)
}) {}

/** Most characters that are shown of a message. */
const longestExcerpt = 120

/** The beginning of a message, in one line. */
export const excerptOf = (text: string): string => {
  const line = text
    .slice(0, longestExcerpt * 2)
    .replaceAll(/\s+/gu, " ")
    .trim()
  return line.length <= longestExcerpt ? line : `${line.slice(0, longestExcerpt - 1)}…`
}

/** What is wrong with a message. */
export const broken = (what: string, place: string, text: string): McpError => {
  const excerpt = excerptOf(text)
  return new McpError({ reason: "broken_message", message: `${place}: ${what}: ${excerpt}`, place, excerpt })
}

/** The connection is over. */
export const gone = (message: string): McpError => new McpError({ reason: "gone", message })
