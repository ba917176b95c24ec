/** Converts an answer of a case to the value that a handler returns to the guard. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { expand } from "./Canary.ts"
import * as HandlerFailure from "./HandlerFailure.ts"
import type { FuzzAnswer, Json } from "./FuzzCase.ts"
import type { Subject } from "./Subject.ts"

/** Replaces the marks in all texts of a value with their canaries. */
export const expanded = (value: Json): Json => {
  if (typeof value === "string") return expand(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(expanded)
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, expanded(field)]))
}

/** Decodes a value, because handlers return decoded values. Returns a value unchanged if it cannot be decoded. */
export const valueOf = ({ decode }: Subject, value: Json): unknown => {
  const encoded = expanded(value)
  return Option.getOrElse(decode(encoded), () => encoded)
}

/** Returns the text of an answer, or `undefined` if the answer is not a text. */
export const textOf = (answer: FuzzAnswer): string | undefined => {
  switch (answer._tag) {
    case "Text":
    case "Cut":
      return expand(answer.text)
    case "Response":
      return expand(answer.body)
    case "Large":
      return large(answer.value, answer.bytes)
    default:
      return undefined
  }
}

/** Returns the JSON of a value, enlarged by repeating a list, lengthening a text, or adding spaces. */
const large = (value: Json, bytes: number): string => {
  const text = JSON.stringify(expanded(value))
  if (text.length >= bytes) return text
  const [name, field] = isJsonObject(value)
    ? (Object.entries(value).find(([, field]) => isLong(field)) ?? ["", value])
    : ["", value]
  const missing = bytes - text.length
  const longer = Array.isArray(field)
    ? repeated(field, missing)
    : typeof field === "string"
      ? `${expand(field)}${"x".repeat(missing)}`
      : undefined
  if (longer === undefined) return `${text}${" ".repeat(missing)}`
  return JSON.stringify(
    name === "" ? longer : { ...(value as object) /* an object, because a field was found */, [name]: longer }
  )
}

const isLong = (value: Json): boolean => typeof value === "string" || (Array.isArray(value) && value.length > 0)

const repeated = (list: ReadonlyArray<Json>, bytes: number): ReadonlyArray<Json> | undefined => {
  const [first] = list
  if (first === undefined) return undefined
  const repetition = expanded(first)
  const count = Math.ceil(bytes / JSON.stringify(first).length)
  return [...list.map(expanded), ...Array.from({ length: count }, () => repetition)]
}

const request = HttpClientRequest.get("https://upstream.example/")

/** Creates a response whose body is available immediately. The body of a web `Response` would wait for the event loop. */
const responseOf = (status: number, headers: Readonly<Record<string, string>>, body: string): unknown => {
  const base = HttpClientResponse.fromWeb(request, new Response(null, { status, headers: { ...headers } }))
  const bytes = new TextEncoder().encode(body)
  return Object.create(base, { stream: { value: bytes.length === 0 ? Stream.empty : Stream.make(bytes) } })
}

const reset = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })

/**
 * Returns an answer as the effect of a handler. `Handler` never answers here, because the simulation runs it itself.
 */
export const effectOf = (subject: Subject, answer: FuzzAnswer): Effect.Effect<unknown, unknown> => {
  switch (answer._tag) {
    case "Value":
      return Effect.succeed(valueOf(subject, answer.value))
    case "Odd":
      return Effect.succeed(HandlerFailure.withOdd(valueOf(subject, answer.value), answer.odd))
    case "Text":
    case "Large":
      return Effect.succeed(textOf(answer))
    case "Cut":
      return Effect.succeed(Stream.concat(Stream.make(new TextEncoder().encode(textOf(answer))), Stream.fail(reset())))
    case "Response":
      return Effect.succeed(
        responseOf(answer.status, { "x-canary": expand("@hidden@"), ...answer.headers }, textOf(answer) ?? "")
      )
    case "Fault":
      return Effect.suspend(() => Effect.fail(HandlerFailure.named(answer.fault).make()))
    case "Crash":
      return HandlerFailure.crash(answer.crash)
    case "Silence":
    case "Handler":
      return Effect.never
  }
}
