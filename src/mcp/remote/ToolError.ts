/** Translates a failed call of a remote tool for the guard. */
import type { Access } from "#domain/tool/Access"
import * as Failure from "#domain/failure/Failure"
import type { FailureCode } from "#domain/failure/FailureCode"
import * as McpResult from "#domain/answers/McpResult"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { McpError } from "#src/mcp/wire/McpError"

/** The failure that a tool reports (`isError`), for the classifier. */
interface Reported {
  readonly message: string
  /** The structured content of the result. */
  readonly data?: unknown
}

export const reported = (result: JsonObject): Reported => {
  const message = McpResult.textOf(result)
  const { structuredContent } = result
  return {
    message: message === "" ? "The tool failed without a message." : message,
    ...(isJsonObject(structuredContent) ? { data: structuredContent } : {})
  }
}

/**
 * Returns a failure for a fault of the connection or the protocol, and evidence for the classifier for an error of the
 * server.
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
    case "gone":
      return failure("connection_lost", "unknown")
    case "no_answer":
      return failure("timeout", "unknown")
    case "broken_message":
      return failure("unexpected_content", "unknown")
    case "too_large":
      return failure("response_too_large", "unknown")
    case "http":
      return { status: error.code, message: error.message, headers: retryAfter(error) }
    case "refused":
      return { code: error.code, message: error.message, data: error.data }
    case "version":
      return failure("misconfigured", "none")
  }
}

const retryAfter = ({ retryAfter }: McpError) => (retryAfter === undefined ? {} : { "retry-after": retryAfter })
