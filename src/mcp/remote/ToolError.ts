/** What a failed call of a server's tool means to the guard. */
import type { Access } from "#domain/tool/Access"
import { Permanent, SchemaMismatch, Transient } from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { McpError } from "#src/mcp/wire/McpError"

/** What a tool says of its failure (`isError`), for the classifier of errors. */
export interface Reported {
  readonly message: string
  /** The structured content beside it. */
  readonly data?: unknown
}

export const reported = (result: JsonObject): Reported => {
  const message = textOf(result)
  const { structuredContent } = result
  return {
    message: message === "" ? "The tool failed and said nothing." : message,
    ...(isJsonObject(structuredContent) ? { data: structuredContent } : {})
  }
}

/** All texts of a result, joined. */
export const textOf = ({ content }: JsonObject): string =>
  Array.isArray(content)
    ? (content as ReadonlyArray<unknown>)
        .flatMap((block) => (isJsonObject(block) && typeof block["text"] === "string" ? [block["text"]] : []))
        .join("\n")
    : ""

/** A fault of the connection or the protocol, as the failure that it is for the call; else as evidence for the classifier. */
export const ofMcp = (tool: string, access: Access, error: McpError): unknown => {
  const shared = (code: FailureCode, sideEffect: "none" | "unknown") => ({
    tool,
    code,
    detail: error.message,
    hint: codes[code].hint,
    sideEffect: access === "read" ? ("none" as const) : sideEffect,
    traceId: "",
    cause: error
  })
  switch (error.reason) {
    case "not_started":
      return new Transient(shared("connection_failed", "none"))
    case "too_many":
      return new Transient(shared("busy", "none"))
    case "gone":
      return new Transient(shared("connection_lost", "unknown"))
    case "no_answer":
      return new Transient(shared("timeout", "unknown"))
    case "broken_message":
      return new SchemaMismatch(shared("unexpected_content", "unknown"))
    case "too_large":
      return new Permanent(shared("response_too_large", "unknown"))
    case "http":
      return { status: error.code, message: error.message, headers: retryAfter(error) }
    case "refused":
      return { code: error.code, message: error.message, data: error.data }
    case "version":
      return new Permanent(shared("misconfigured", "none"))
  }
}

const retryAfter = ({ retryAfter }: McpError) => (retryAfter === undefined ? {} : { "retry-after": retryAfter })
