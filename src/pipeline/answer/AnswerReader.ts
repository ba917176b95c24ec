/**
 * Converts the value that a handler returned to an `Answer`. Reads text, bytes, streams and the bodies of responses.
 */
import * as Fields from "#domain/json/Fields"
import * as Utf8 from "#domain/text/Utf8"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Stream from "effect/Stream"
import { type HttpResponse, responseOf } from "#pipeline/answer/HttpResponse"
import type { Answer } from "#pipeline/call/Answer"
import type { ResultCodec } from "#pipeline/call/CompiledTool"

/**
 * Reads one answer, up to a limit.
 *
 * **Details**
 *
 * - `kind`: how the tool interprets text. Unless it is `json`, text is the value itself.
 * - `limit`: the maximum number of bytes, or of UTF-16 units if the handler returned JSON as a string. A string or
 *   bytes that are the value itself have no limit. Of a response with an error status, at most 64 KB are read.
 * - A stream that breaks before its first byte fails with its error. A stream that breaks later yields the text received
 *   so far, marked `cut`. A response whose body breaks always yields the text received so far, because the status
 *   matters more than the error.
 */
export const read = (value: unknown, kind: ResultCodec["text"], limit: number): Effect.Effect<Answer, unknown> => {
  if (typeof value === "string") {
    if (kind === "json") {
      return Effect.succeed(
        value.length > limit
          ? { _tag: "TooLarge", limit, status: undefined }
          : { _tag: "Text", text: value, bytes: Utf8.length(value), cut: false }
      )
    }
    return Effect.succeed({ _tag: "Value", value: kind === "string" ? value : new TextEncoder().encode(value) })
  }
  if (typeof value !== "object" || value === null) return Effect.succeed({ _tag: "Value", value })
  if (value instanceof Uint8Array) {
    if (kind === "bytes") return Effect.succeed({ _tag: "Value", value })
    return Effect.succeed(
      value.length > limit
        ? { _tag: "TooLarge", limit, status: undefined }
        : { _tag: "Text", ...whole(value, kind), cut: false }
    )
  }
  const response = responseOf(value)
  if (response !== undefined) {
    if (response.isUsed) return readAgain(response, kind, limit)
    const { headers, status, stream } = response
    const isSuccess = isSuccessful(status)
    const body = collect(stream, isSuccess ? kind : "string", isSuccess ? limit : errorBytes, charsetOf(headers))
    return Effect.flatMap(body, (body): Effect.Effect<Answer, unknown> => {
      if (body._tag === "Body" && !body.cut && body.content.bytes === 0 && response.promisesBody)
        return readAgain(response, kind, limit)
      if (body._tag === "TooLarge" && isSuccess) return Effect.succeed({ _tag: "TooLarge", limit, status })
      const cut = body._tag === "Broken" ? !isEmptyBody(body.error) : body.cut
      const encoded = { status, headers, ...body.content, cut }
      return Effect.succeed(
        body.damage === undefined
          ? { _tag: "Response", ...encoded }
          : { _tag: "Response", ...encoded, damage: body.damage }
      )
    })
  }
  if (Stream.isStream(value)) {
    // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- `Handler` allows no other stream
    return Effect.flatMap(collect(value as Stream.Stream<Uint8Array, unknown>, kind, limit), (body) => {
      if (body._tag === "Broken") return Effect.fail(body.error)
      return Effect.succeed<Answer>(
        body._tag === "TooLarge"
          ? { _tag: "TooLarge", limit, status: undefined }
          : { _tag: "Text", ...body.content, cut: body.cut }
      )
    })
  }
  return Effect.succeed({ _tag: "Value", value })
}

/** The maximum number of bytes that are read from a response with an error status. */
const errorBytes = 65_536

const isSuccessful = (status: number): boolean => status >= 200 && status <= 299

/**
 * Reads a response whose body the handler has already read. If the client has not kept the body, only the status is
 * known: it can prove a failure, but a 2xx proves no effect.
 */
const readAgain = (
  { headers, kept, status }: HttpResponse,
  kind: ResultCodec["text"],
  limit: number
): Effect.Effect<Answer, unknown> =>
  Effect.flatMap(kept, (bytes): Effect.Effect<Answer, unknown> => {
    const isSuccess = isSuccessful(status)
    // @effect-diagnostics-next-line globalErrorInEffectFailure:off -- `classify` reads any error, as of `fetch`
    if (bytes === undefined && isSuccess) return Effect.fail(new TypeError(bodyWasRead))
    if (bytes !== undefined && isSuccess && bytes.length > limit)
      return Effect.succeed({ _tag: "TooLarge", limit, status })
    const body = isSuccess ? bytes : bytes?.subarray(0, errorBytes)
    const content = whole(body ?? new Uint8Array(0), isSuccess ? kind : "string", charsetOf(headers))
    return Effect.succeed({ _tag: "Response", status, headers, ...content, cut: false })
  })

const bodyWasRead =
  "The handler returned a response whose body was already read: return the text that was read, or the response unread."

/**
 * True if the error means a response without a body, such as a 204: Effect's client fails instead of returning no
 * bytes.
 */
const isEmptyBody = (error: unknown): boolean =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "EmptyBodyError"

interface Content {
  readonly text: string
  readonly bytes: number
  readonly raw?: Uint8Array
}

type Body =
  /** `TooLarge`: the body exceeds the limit; the content is the chunks before the chunk that exceeds it. */
  | {
      readonly _tag: "Body" | "TooLarge"
      readonly content: Content
      readonly cut: boolean
      readonly damage?: string | undefined
    }
  /** The stream failed before its first byte. */
  | {
      readonly _tag: "Broken"
      readonly content: Content
      readonly error: unknown
      readonly damage: string | undefined
    }

/** The codes of zlib, brotli and zstd for data that is not in their format. Data that ends early has other codes. */
const damageCode = /^(?:Z_DATA_ERROR$|ERR__ERROR_FORMAT_|ZSTD_error_)/u

/** Returns the code of an error, or of one of its causes, if the code says that a body could not be decompressed. */
const damageOf = (error: unknown): string | undefined => {
  for (let at = error, depth = 0; depth < 8; depth++) {
    const { cause, code, reason } = Fields.of(at)
    if (typeof code === "string" && damageCode.test(code)) return code
    at = cause ?? reason
  }
  return undefined
}

const tooLarge = Symbol("the limit was exceeded")

const collect = (
  stream: Stream.Stream<Uint8Array, unknown>,
  kind: ResultCodec["text"],
  limit: number,
  charset?: string
): Effect.Effect<Body> => {
  const { content, push } = reader(kind, charset)
  let bytes = 0
  const all = Stream.runForEach(stream, (chunk) => {
    bytes += chunk.length
    if (bytes > limit) return Effect.fail(tooLarge)
    push(chunk)
    return Effect.void
  })
  return Effect.match(all, {
    onSuccess: (): Body => ({ _tag: "Body", content: content(), cut: false }),
    onFailure: (error): Body => {
      if (error === tooLarge) return { _tag: "TooLarge", content: content(), cut: true }
      const damage = damageOf(error)
      return bytes === 0
        ? { _tag: "Broken", content: content(), error, damage }
        : { _tag: "Body", content: content(), cut: true, damage }
    }
  })
}

/** Returns a reader that decodes chunks as they arrive; if the tool's result is bytes, it collects the raw chunks. */
const reader = (kind: ResultCodec["text"], charset?: string) => {
  const decode = decoding(charset)
  const chunks: Array<Uint8Array> = []
  let text = ""
  let bytes = 0
  return {
    push: (chunk: Uint8Array): void => {
      bytes += chunk.length
      if (kind === "bytes") chunks.push(chunk)
      else text += decode(chunk)
    },
    content: (): Content =>
      kind === "bytes" ? { text, bytes, raw: joined(chunks, bytes) } : { text: text + decode(undefined), bytes }
  }
}

/**
 * Returns a function that decodes chunks; `undefined` ends the text. The first three bytes may be a byte order mark.
 */
const decoding = (charset: string | undefined) => {
  let head: Uint8Array = new Uint8Array(0)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  return (chunk: Uint8Array | undefined): string => {
    if (decoder !== undefined) return decoder.decode(chunk, { stream: chunk !== undefined })
    if (chunk !== undefined) head = head.length === 0 ? chunk : joined([head, chunk], head.length + chunk.length)
    if (chunk !== undefined && head.length < 3) return ""
    decoder = decoderOf(markOf(head) ?? charset)
    return decoder.decode(head, { stream: chunk !== undefined })
  }
}

/** Returns the encoding that a byte order mark declares, which takes precedence over the header. */
const markOf = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined
}

/** Returns the encoding that a response declares. Bytes that are invalid in the encoding become U+FFFD. */
const charsetOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]{1,40})/iu.exec(headers["content-type"] ?? "")?.[1]

/** Returns the decoder of an encoding; UTF-8 if the encoding is not declared or not known. */
const decoderOf = (charset = "utf-8") => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

const joined = (chunks: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const raw = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    raw.set(chunk, at)
    at += chunk.length
  }
  return raw
}

const whole = (bytes: Uint8Array, kind: ResultCodec["text"], charset?: string): Content => {
  const { content, push } = reader(kind, charset)
  push(bytes)
  return content()
}
