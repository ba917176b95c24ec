/**
 * Recognises the HTTP responses that a handler may return, and whether the handler has read their bodies.
 */
import * as Fields from "#domain/json/Fields"
import * as Effect from "effect/Effect"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"

/** An HTTP response from Effect's client or from `fetch`. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** True if the handler has read the body or is reading it. */
  readonly isUsed: boolean
  /** True if the headers promise content: an empty body must then have been read before. */
  readonly promisesBody: boolean
  /** The body that the client has kept, because the handler has read all of it; undefined if it has not. */
  readonly kept: Effect.Effect<Uint8Array | undefined>
}

/** Returns a value as a response; undefined if it is not a response. */
export const responseOf = (value: object): HttpResponse | undefined => {
  if (HttpClientResponse.TypeId in value) {
    // only Effect's responses have this type id
    const response = value as HttpClientResponse.HttpClientResponse
    const { headers, status, stream } = response
    const hasBody = !bodyless.has(status)
    return {
      status,
      headers,
      stream,
      isUsed: hasBody && isUsed(value),
      promisesBody: hasBody && promisesBody(response),
      kept: keptBy(response)
    }
  }
  if (!isWebResponse(value)) return undefined
  const { body, bodyUsed, headers, status } = value
  const stream =
    body === null
      ? Stream.empty
      : Stream.fromReadableStream<Uint8Array, unknown>({ evaluate: () => body, onError: (error) => error })
  return {
    status,
    headers: Object.fromEntries(headers),
    stream,
    isUsed: bodyUsed || body?.locked === true,
    promisesBody: false,
    kept: Effect.undefined
  }
}

/** The statuses of responses without a body. */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * True if the body of a response of Effect's clients was read. A client may wrap a response as `original`. Its `source`
 * is the response of the platform: a `Response` of `fetch`, a message of Node, or a response of undici with a Node
 * stream as its body.
 */
const isUsed = (response: object): boolean => {
  const { original } = Fields.of(response)
  if (typeof original === "object" && original !== null && HttpClientResponse.TypeId in original)
    return isUsed(original)
  const { source } = Fields.of(response)
  const { body } = Fields.of(source)
  return [source, body].some((part) => {
    const { bodyUsed, locked, readableDidRead } = Fields.of(part)
    return bodyUsed === true || locked === true || readableDidRead === true
  })
}

/** True if the headers of a response promise a body. The length of a compressed body says nothing about its content. */
const promisesBody = ({ headers, request }: HttpClientResponse.HttpClientResponse): boolean =>
  request.method !== "HEAD" &&
  headers["content-encoding"] === undefined &&
  /^0*[1-9]\d*$/.test(headers["content-length"] ?? "")

/** Returns the body if a client of Effect has kept it. A kept body is available immediately. */
const keptBy = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<Uint8Array | undefined> =>
  Effect.raceFirst(
    Effect.matchEffect(
      Effect.suspend(() => response.arrayBuffer),
      { onSuccess: (buffer) => Effect.succeed(new Uint8Array(buffer)), onFailure: () => Effect.undefined }
    ),
    Effect.undefined
  )

/** True for the `Response` of `fetch`, even if a package defines its own class. */
const isWebResponse = (value: object): value is Response =>
  Object.prototype.toString.call(value) === "[object Response]" &&
  "headers" in value &&
  "status" in value &&
  "bodyUsed" in value
