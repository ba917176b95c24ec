/**
 * Filters standard input for Effect's server, which would stop reading at an invalid line. Only lines that contain a
 * message pass.
 *
 * A line that is not a JSON-RPC 2.0 message, is too long or is nested too deeply is answered here with a JSON-RPC
 * error. A request that states no version of the protocol before a session is initialised is answered in the same way:
 * the server would report an internal error instead.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Spelling from "#src/mcp/wire/Spelling"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** The maximum length of a message in characters. The limit of arguments is far lower. */
const maxLength = 16 * 1024 * 1024

/** The maximum nesting of a message, because its readers are recursive. The limit of arguments is far lower. */
const maxDepth = 1_000

type Id = string | number | null

/** The state of the session, according to the messages read so far. */
interface Session {
  /** True after a valid `initialize`, to which the server agrees. */
  isInitialized: boolean
}

/** Returns a line to pass on, or an error answer. */
const judge = (line: string, session: Session): { readonly pass: string } | { readonly answer: string } => {
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
  if (Array.isArray(message)) {
    const isWrong = message.some((one) => isJsonObject(one) && one["jsonrpc"] !== "2.0")
    return isWrong ? refuse(null, -32_600, versionError) : { pass: line }
  }
  if ((message as JsonObject)["jsonrpc"] !== "2.0") return refuse(isId(id) ? id : null, -32_600, versionError)
  const isReply = result !== undefined || error !== undefined
  if (id !== undefined && !isId(id) && !(id === null && isReply)) {
    return refuse(null, -32_600, "Invalid request: an id must be a string or an integer")
  }
  if (typeof method !== "string" && !isReply) {
    return refuse(isId(id) ? id : null, -32_600, "Invalid request: the method is missing")
  }
  if (typeof method === "string" && isId(id)) {
    const { params } = message as JsonObject
    if (method === "initialize") session.isInitialized ||= isInitialize(params)
    else if (!session.isInitialized && isBound(method) && !statesVersion(params))
      return refuse(id, -32_602, `Invalid params: send initialize first, or state ${versionField} in _meta`)
  }
  return { pass: line }
}

const versionError = 'Invalid request: "jsonrpc" is not "2.0"'

const versionField = "io.modelcontextprotocol/protocolVersion"

const statesVersion = (params: unknown): boolean =>
  isJsonObject(params) && isJsonObject(params["_meta"]) && typeof params["_meta"][versionField] === "string"

/** True if the server accepts these parameters of `initialize`. */
const isInitialize = (params: unknown): boolean =>
  isJsonObject(params) &&
  typeof params["protocolVersion"] === "string" &&
  isJsonObject(params["capabilities"]) &&
  isJsonObject(params["clientInfo"]) &&
  typeof params["clientInfo"]["name"] === "string" &&
  typeof params["clientInfo"]["version"] === "string"

/** True for a request method of the protocol other than `ping`. The server itself refuses unknown methods. */
const isBound = (method: string): boolean => Spelling.requestOf(method) === method && method !== "ping"

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
    const passed = (line: string | undefined, session: Session) => {
      if (line !== undefined && line.trim() === "") return Effect.succeed([])
      const judged =
        line === undefined ? refuse(null, -32_600, "Invalid request: it is too long") : judge(line, session)
      return "pass" in judged
        ? Effect.succeed([encoder.encode(`${judged.pass}\n`)])
        : Effect.as(answer(judged.answer), [])
    }
    const stdin = Stream.suspend(() => {
      const split = lines()
      const session: Session = { isInitialized: false }
      return stdio.stdin.pipe(
        Stream.flatMap((bytes) => Stream.fromIterable(split(bytes))),
        Stream.mapEffect((line) => passed(line, session)),
        Stream.flatMap((all) => Stream.fromIterable(all))
      )
    })
    return Stdio.make({ ...stdio, stdin })
  })
)
