/** Reads the bytes of a response, up to a limit. */
import * as Failure from "#domain/failure/Failure"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import type { Plan } from "#src/openapi/request/RequestBuilder"

/** The limit in bytes, the same as the guard's default for an answer (`JsonText.resultLimits`). */
const maxBytes = 10_000_000

/** Reads the complete body. Fails with Permanent `response_too_large` above the limit. */
export const bytesOf = (
  response: HttpClientResponse,
  { method }: Plan
): Effect.Effect<Uint8Array<ArrayBuffer>, unknown> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return Stream.runForEach(response.stream, (chunk): Effect.Effect<void, Failure.Permanent> => {
    size += chunk.length
    if (size > maxBytes) return Effect.fail(tooLarge(method === "get"))
    chunks.push(chunk)
    return Effect.void
  }).pipe(
    Effect.catch((error: unknown) => (isEmpty(error) ? Effect.void : Effect.fail(error))),
    Effect.map(() => joined(chunks, size))
  )
}

/** True if an error only says that the response has no body, such as a 204. */
const isEmpty = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "EmptyBodyError"

const joined = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

const tooLarge = (isRead: boolean): Failure.Permanent =>
  Failure.ofCode("response_too_large", {
    tool: "",
    detail: `The answer is larger than ${maxBytes} bytes.`,
    hint: "",
    sideEffect: isRead ? "none" : "unknown"
  })
