/** Reads what a handler gave into an `Answer`: a value as it is, text and bytes as text, a response with its body. */
import * as Utf8 from "#domain/Utf8"
import * as Effect from "effect/Effect"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import type { Answer } from "./Answer.ts"

/** The bound was passed. */
class TooLarge {
  readonly _tag = "TooLarge"
}

/**
 * `readsText`: strings and bytes are encoded JSON, not the value. Fails as the stream fails if that happened before
 * its first byte; a stream that breaks later gives what came, marked `cut`.
 */
export const read = (value: unknown, readsText: boolean, limit: number): Effect.Effect<Answer, unknown> => {
  if (typeof value === "string") {
    return Effect.succeed(
      !readsText
        ? { _tag: "Value", value }
        : value.length > limit
          ? { _tag: "TooLarge", limit, status: undefined }
          : { _tag: "Text", text: value, bytes: Utf8.length(value), cut: false }
    )
  }
  if (typeof value !== "object" || value === null) return Effect.succeed({ _tag: "Value", value })
  if (value instanceof Uint8Array) {
    if (!readsText) return Effect.succeed({ _tag: "Value", value })
    return Effect.succeed(
      value.length > limit
        ? { _tag: "TooLarge", limit, status: undefined }
        : { _tag: "Text", ...decoded([value]), cut: false }
    )
  }
  if (isResponse(value)) {
    const { headers, status, stream } = value
    return Effect.map(collect(stream, limit), (body): Answer =>
      body._tag === "TooLarge"
        ? { _tag: "TooLarge", limit, status }
        : { _tag: "Response", status, headers, ...decoded(body.chunks), cut: body.cut }
    )
  }
  if (Stream.isStream(value)) {
    return Effect.map(collect(value as Stream.Stream<Uint8Array, unknown>, limit), (body): Answer =>
      body._tag === "TooLarge"
        ? { _tag: "TooLarge", limit, status: undefined }
        : { _tag: "Text", ...decoded(body.chunks), cut: body.cut }
    )
  }
  return Effect.succeed({ _tag: "Value", value })
}

const isResponse = (value: object): value is HttpClientResponse.HttpClientResponse => HttpClientResponse.TypeId in value

interface Body {
  readonly _tag: "Body"
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly cut: boolean
}

const collect = (
  stream: Stream.Stream<Uint8Array, unknown>,
  limit: number
): Effect.Effect<Body | TooLarge, unknown> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const whole = Stream.runForEach(stream, (chunk) => {
    bytes += chunk.length
    if (bytes > limit) return Effect.fail(new TooLarge())
    chunks.push(chunk)
    return Effect.void
  })
  return Effect.matchEffect(whole, {
    onSuccess: (): Effect.Effect<Body> => Effect.succeed({ _tag: "Body", chunks, cut: false }),
    onFailure: (error): Effect.Effect<Body | TooLarge, unknown> =>
      error instanceof TooLarge
        ? Effect.succeed(error)
        : bytes === 0
          ? Effect.fail(error)
          : Effect.succeed({ _tag: "Body", chunks, cut: true })
  })
}

const decoded = (chunks: ReadonlyArray<Uint8Array>): { readonly text: string; readonly bytes: number } => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: false })
  let text = ""
  let bytes = 0
  for (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.length
  }
  return { text: text + decoder.decode(), bytes }
}
