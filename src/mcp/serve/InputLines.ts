/**
 * Filters standard input for Effect's server, which would stop reading at an invalid line. Only lines that contain a
 * message pass.
 *
 * A line that is not a JSON-RPC message, is too long or is nested too deeply is answered here with a JSON-RPC error.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** The maximum length of a message in characters. The limit of arguments is far lower. */
const maxLength = 16 * 1024 * 1024

/** The maximum nesting of a message, because its readers are recursive. The limit of arguments is far lower. */
const maxDepth = 1_000

type Id = string | number | null

/** Returns a line to pass on, or an error answer. */
const judge = (line: string): { readonly pass: string } | { readonly answer: string } => {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return refuse(null, -32_700, "Parse error: the line is not JSON")
  }
  if (typeof message !== "object" || message === null) {
    return refuse(null, -32_600, "Invalid request: a message must be an object")
  }
  // an array has none of these fields, so it may be read as an object
  const { error, id, method, result } = message as JsonObject
  if (line.length > 2 * maxDepth && isTooDeep(message)) {
    return refuse(isId(id) ? id : null, -32_600, `Invalid request: it is nested deeper than ${maxDepth} levels`)
  }
  if (Array.isArray(message)) return { pass: line }
  const isReply = result !== undefined || error !== undefined
  if (id !== undefined && !isId(id) && !(id === null && isReply)) {
    return refuse(null, -32_600, "Invalid request: an id must be a string or an integer")
  }
  if (typeof method !== "string" && !isReply) {
    return refuse(isId(id) ? id : null, -32_600, "Invalid request: the method is missing")
  }
  return { pass: line }
}

/** Traverses the message level by level, because its nesting can exceed the call stack. */
const isTooDeep = (message: object): boolean => {
  let level: ReadonlyArray<object> = [message]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((value) =>
      Object.values(value).filter((inner: unknown): inner is object => typeof inner === "object" && inner !== null)
    )
  }
  return false
}

const isId = (id: unknown): id is string | number => typeof id === "string" || Number.isSafeInteger(id)

const refuse = (id: Id, code: number, message: string) => ({
  answer: `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`
})

/** Splits chunks of bytes into lines. A line that is too long becomes `undefined`. */
const lines = () => {
  const decoder = new TextDecoder()
  let rest = ""
  let isSkipping = false
  return (bytes: Uint8Array): ReadonlyArray<string | undefined> => {
    const pieces = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = pieces.pop() ?? ""
    const whole = pieces.map((line, index) => (isSkipping && index === 0 ? "" : tooLong(line)))
    if (pieces.length > 0) isSkipping = false
    if (rest.length <= maxLength) return whole
    rest = ""
    if (isSkipping) return whole
    isSkipping = true
    return [...whole, undefined]
  }
}

const tooLong = (line: string): string | undefined => (line.length > maxLength ? undefined : line)

/** The standard streams of the process, with filtered input. */
export const layer: Layer.Layer<Stdio.Stdio, never, Stdio.Stdio> = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) => {
    const encoder = new TextEncoder()
    const answer = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
    const passed = (line: string | undefined) => {
      if (line !== undefined && line.trim() === "") return Effect.succeed([])
      const judged = line === undefined ? refuse(null, -32_600, "Invalid request: it is too long") : judge(line)
      return "pass" in judged
        ? Effect.succeed([encoder.encode(`${judged.pass}\n`)])
        : Effect.as(answer(judged.answer), [])
    }
    const stdin = Stream.suspend(() => {
      const split = lines()
      return stdio.stdin.pipe(
        Stream.flatMap((bytes) => Stream.fromIterable(split(bytes))),
        Stream.mapEffect(passed),
        Stream.flatMap((all) => Stream.fromIterable(all))
      )
    })
    return Stdio.make({ ...stdio, stdin })
  })
)
