/** Translates a failed HTTP request: nothing was sent, the connection broke, or the status is an error. */
import * as UpstreamWords from "#domain/classification/UpstreamWords"
import { isJsonObject } from "#domain/json/JsonObject"
import { excerptOf, McpError } from "./McpError.ts"

const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** Returns the codes of an error and its causes. */
const codesOf = (error: unknown, depth = 0): ReadonlyArray<string> => {
  if (!isJsonObject(error) || depth > 6) return []
  const { cause, code, errors, reason } = error
  const inner = Array.isArray(errors) ? errors.flatMap((each) => codesOf(each, depth + 1)) : []
  return [
    ...(typeof code === "string" ? [code] : []),
    ...codesOf(cause, depth + 1),
    ...codesOf(reason, depth + 1),
    ...inner
  ]
}

/** Returns the error of a request without a response. */
export const unanswered = (error: unknown, url: string): McpError => {
  const code = codesOf(error).find((each) => /^[A-Z_]+$/u.test(each))
  const isUnsent = code !== undefined && neverSent.has(code)
  return new McpError({
    reason: isUnsent ? "not_started" : "gone",
    message: `${isUnsent ? "Cannot reach" : "Lost the connection to"} ${hostOf(url)}${code === undefined ? "" : ` (${code})`}.`
  })
}

/** The maximum number of characters that an error quotes from a body: as many as a model reads of an error [5.5]. */
const longestBody = 600

/** Returns the error of a response with an error status. */
export const status = (code: number, body: string, retryAfter: string | undefined): McpError => {
  const excerpt = excerptOf(UpstreamWords.ofText(body), longestBody)
  return new McpError({
    reason: "http",
    message: `The server answered with HTTP ${code}${excerpt === "" ? "" : `: ${excerpt}`}`,
    code,
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
}

/** Returns the host of a URL without the path, which may contain a key. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "the server")

/** The server does not know the session, so it did not execute the request, and will execute no later request either. */
export const sessionEnded = new McpError({ reason: "ended", message: "The server has ended the session." })
