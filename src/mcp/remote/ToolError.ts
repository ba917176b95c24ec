/** Translates a failed call of a remote tool for the guard. */
import { failureIn } from "#domain/answers/HiddenFailure"
import { QuotedError } from "#domain/classification/QuotedError"
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import type { Access } from "#domain/tool/Access"
import * as Failure from "#domain/failure/Failure"
import type { FailureCode } from "#domain/failure/FailureCode"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { McpError } from "#src/mcp/wire/McpError"

/**
 * Returns the failure that a result of a tool states, for the classifier; `undefined` for any other result.
 *
 * A result of a tool with an output schema must have structured content. If the content is missing, or does not conform
 * (`conforms` returns false), a failure that the result states explains why.
 */
export const reported = (
  result: JsonObject,
  hasSchema: boolean,
  conforms: (structured: unknown) => boolean = () => true
): QuotedError | undefined => {
  const { isError, structuredContent } = result
  if (isError === true) return failureIn(result)?.error
  if (!hasSchema || (structuredContent !== undefined && conforms(structuredContent))) return undefined
  return failureIn(structuredContent ?? result)?.error
}

/**
 * Returns the failure for a fault of the connection or the protocol. Returns an error that the server reported in the
 * server's words, for the classifier.
 */
export const ofMcp = (tool: string, access: Access, error: McpError): unknown => {
  const failure = (code: FailureCode, sideEffect: Failure.SideEffect) =>
    Failure.ofCode(code, {
      tool,
      detail: error.message,
      sideEffect: access === "read" ? "none" : sideEffect,
      cause: error
    })
  switch (error.reason) {
    case "not_started":
      return failure("connection_failed", "none")
    case "too_many":
      return failure("busy", "none")
    case "ended":
      return failure("tool_failed", "none")
    case "gone":
      return failure("connection_lost", "unknown")
    case "no_answer":
      return failure("timeout", "unknown")
    case "broken_message":
      return failure("unexpected_content", "unknown")
    case "too_large":
      return failure("response_too_large", "unknown")
    case "http":
      return ofStatus(error)
    case "refused":
      return refused(error)
    case "version":
      return failure("misconfigured", "none")
  }
}

/** Returns the error of a server in the server's words: its message, and the words of its data. */
const refused = ({ code, data, message }: McpError): QuotedError => {
  const text = UpstreamWords.ofText(message)
  const more = isJsonObject(data) || typeof data === "string" ? UpstreamWords.ofValue(data) : ""
  const words = more === "" || text.includes(more) ? text : `${text} ${more}`.trim()
  return new QuotedError(words, { code, message, data })
}

/** Returns the error of an HTTP status, in the words of its body. */
const ofStatus = (error: McpError): QuotedError => {
  const { code, message } = error
  const response = { status: code ?? 0, headers: retryAfter(error) }
  return new QuotedError(message, { ...response, message }, response)
}

const retryAfter = ({ retryAfter }: McpError): Readonly<Record<string, string>> =>
  retryAfter === undefined ? {} : { "retry-after": retryAfter }
