/**
 * Reads the HTTP responses of an MCP server: where they redirect to, their media type and their body, within bounds; and
 * requests event streams.
 */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as HttpError from "./HttpError.ts"
import { McpError } from "./McpError.ts"
import * as Message from "./Message.ts"

/**
 * The maximum number of characters of an event stream in addition to its messages: one incomplete event, comments,
 * broken messages …
 */
export const maxEmpty = { burst: 2 * Message.limits.maxBytes, perSecond: 100_000 }

/** How to resume an event stream. */
export interface Resume {
  readonly id: string | undefined
  /** Milliseconds until the stream is resumed. */
  readonly pause: number
}

/** Returns the request for an event stream, or for the rest of one. */
export const listening = (url: string, { id }: Resume): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.get(url).pipe(
    HttpClientRequest.setHeaders({
      accept: "text/event-stream",
      ...(id === undefined ? {} : { "last-event-id": id })
    })
  )

/**
 * Returns the URL that a server redirects to within its origin. Other origins must not receive the request's headers.
 */
export const movedTo = ({ headers, status }: HttpClientResponse, from: string): string | undefined => {
  const { location = "" } = headers
  if ((status !== 307 && status !== 308) || !URL.canParse(location, from)) return undefined
  const to = new URL(location, from)
  return to.origin === new URL(from).origin ? to.href : undefined
}

export const tooLarge = new McpError({
  reason: "too_large",
  message: `The server sent a message of over ${Message.limits.maxBytes} characters.`
})

const tooManyBytes = new McpError({
  reason: "too_large",
  message: `The server sent a message of over ${Message.limits.maxBytes} bytes.`
})

export const tooEmpty = new McpError({
  reason: "too_large",
  message: `The server sent too many comments, or empty or broken events: more than ${maxEmpty.burst} characters.`
})

export const mediaType = ({ headers }: HttpClientResponse): string =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "of unknown type"

export const bodyOf = (response: HttpClientResponse, url: string): Effect.Effect<string, McpError> =>
  response.stream.pipe(
    Stream.mapError((error) => HttpError.unanswered(error, url)),
    Stream.limitBytes(Message.limits.maxBytes, () => Stream.fail(tooManyBytes)),
    Stream.mkUint8Array,
    Effect.map((bytes) => new TextDecoder().decode(bytes))
  )

/** Returns the JSON-RPC error in the body of an error status. Its id may be missing. */
export const errorIn = (body: string, id: Message.Id): Message.Response | undefined => {
  const [read] = Message.read(body, "body")
  if (read === undefined || Result.isFailure(read) || read.success._tag !== "Response") return undefined
  return read.success.error === undefined ? undefined : { ...read.success, id }
}
