/**
 * Reads the body of a call: uncompressed JSON in UTF-8 within the size limit. The guard's `parse` stage parses it.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { refusal, type ToolProblem } from "./ProblemBody.ts"

/** Returns the text of the body, or a problem. */
export const readBody = (request: HttpServerRequest, maxBytes: number): Effect.Effect<string, ToolProblem> => {
  const fault = unsupported(request) ?? tooLong(request, maxBytes)
  if (fault !== undefined) return Effect.fail(fault)
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.mapError((error) => (isTooLarge(error) ? tooLarge(maxBytes) : broken))
  )
}

const json = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i

const unsupported = ({ headers }: HttpServerRequest): ToolProblem | undefined => {
  const type = headers["content-type"] ?? ""
  const coding = headers["content-encoding"] ?? "identity"
  if (coding.toLowerCase() !== "identity") {
    return refusal(415, "unsupported_media_type", "The body is compressed.", "Send it uncompressed.")
  }
  const encoding = charset.exec(type)?.[1]?.toLowerCase() ?? "utf-8"
  if (json.test(type) && /^(?:utf-?8|us-ascii)$/.test(encoding)) return undefined
  const found = type === "" ? "The body has no Content-Type." : "The body is not JSON in UTF-8."
  return refusal(415, "unsupported_media_type", found, "Send the arguments as application/json.")
}

const tooLong = ({ headers }: HttpServerRequest, maxBytes: number): ToolProblem | undefined =>
  Number(headers["content-length"] ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined

const tooLarge = (maxBytes: number): ToolProblem =>
  refusal(413, "arguments_too_large", `The body is larger than ${maxBytes} bytes.`, "Send smaller arguments.")

const broken = refusal(400, "invalid_json", "The body could not be read completely.", "Send it again.")

const isTooLarge = ({ reason }: HttpServerError): boolean =>
  // the platform's reason for a large body is not in the type
  reason._tag === "RequestParseError" && (reason as { readonly reason?: string }).reason === "BodyTooLarge"
