/**
 * Standard input as a server without patience for others' mistakes needs it: whole lines that hold a message.
 *
 * What is no JSON, no message, too long or nested too deep is answered here, as JSON-RPC wants it, and goes no further: the transport beneath
 * would stop reading at it.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Most characters of a message: arguments are bounded far below. */
const longest = 16 * 1024 * 1024

/** Deepest nesting of a message: what comes after reads it recursively. The guard says where arguments are too deep, far below. */
const deepest = 1_000

type Id = string | number | null

/** A message to pass on, or the error that answers it. */
const judge = (line: string): { readonly pass: string } | { readonly answer: string } => {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    return refuse(null, -32_700, "Parse error: the line is no JSON")
  }
  if (typeof message !== "object" || message === null) {
    return refuse(null, -32_600, "Invalid request: a message is an object")
  }
  const { error, id, method, result } = message as JsonObject
  if (line.length > 2 * deepest && isTooDeep(message)) {
    return refuse(isId(id) ? id : null, -32_600, `Invalid request: it is nested deeper than ${deepest} levels`)
  }
  if (Array.isArray(message)) return { pass: line }
  const isReply = result !== undefined || error !== undefined
  if (id !== undefined && !isId(id) && !(id === null && isReply)) {
    return refuse(null, -32_600, "Invalid request: an id is a text or an integer")
  }
  if (typeof method !== "string" && !isReply) {
    return refuse(isId(id) ? id : null, -32_600, "Invalid request: it names no method")
  }
  return { pass: line }
}

/** Level by level, since a message can be deeper than the stack. */
const isTooDeep = (message: object): boolean => {
  let level: ReadonlyArray<object> = [message]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > deepest) return true
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

/** The lines of a text that comes in pieces; `undefined` stands for one that is too long. */
const lines = () => {
  const decoder = new TextDecoder()
  let rest = ""
  let isSkipping = false
  return (bytes: Uint8Array): ReadonlyArray<string | undefined> => {
    const pieces = (rest + decoder.decode(bytes, { stream: true })).split("\n")
    rest = pieces.pop() ?? ""
    const whole = pieces.map((line, index) => (isSkipping && index === 0 ? "" : tooLong(line)))
    if (pieces.length > 0) isSkipping = false
    if (rest.length <= longest) return whole
    rest = ""
    if (isSkipping) return whole
    isSkipping = true
    return [...whole, undefined]
  }
}

const tooLong = (line: string): string | undefined => (line.length > longest ? undefined : line)

/** The streams of the process, input checked. */
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
