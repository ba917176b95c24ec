/**
 * Collects the evidence of an unknown error: walks its known fields, causes and bodies, parses JSON and Python reprs in
 * its texts, and finds tokens in the remaining text.
 *
 * **Gotchas**
 *
 * - Never throws and always ends: reads at most 48 objects, 12 levels and 8192 characters of each text, and skips throwing getters.
 * - Reads only known field names, so that the body of a request rarely counts as a response.
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"
import * as RetryAfter from "#domain/failure/RetryAfter"
import * as StatedEffect from "#domain/failure/StatedEffect"
import * as EchoedWords from "./EchoedWords.ts"
import { type Evidence, longestText } from "./Evidence.ts"
import { stateIn } from "#domain/classification/codes/SqlState"
import * as Literal from "./Literal.ts"
import { QuotedError } from "./QuotedError.ts"
import { isRedirected, type Target } from "./Redirect.ts"
import { tokensOf } from "./Tokens.ts"

const maximumObjects = 48
const maximumDepth = 12

const words = (names: string): ReadonlyArray<string> => names.trim().split(/\s+/)
const codeFields = words(
  `
    code errorCode error_code errcode sqlState sqlstate Code __type type errorType error_type ecode
  `
)
const statusFields = words("status statusCode status_code httpStatus http_status httpStatusCode http_status_code")
const textFields = words(
  `
    message msg Message error_description errorMessage error_message description detail title statusText info errmsg errorMsg error_msg
    sqlMessage text stderr raw quotaId quota_limit
  `
)
const openFields = words(
  `
    reason error response errors cause data body details detail content metadata $metadata violations result
    innererror innerError exception error_details
  `
)
const placeFields = words("url path hostname pathOrDescriptor address")
const exitFields = words("exitCode exit_code returncode")
const waitFields = words(
  `
    retryAfter retry_after retryAfterMs retry_after_ms retryAfterMillis retryAfterSeconds retry_after_seconds retryDelay
  `
)

const token = /^[A-Za-z][\w.:/-]{1,79}$/
const plainNames = new Set(["Error", "Object", "Array", "Function", "Headers", "Response", "Map"])

const get = (object: object, key: string): unknown => {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

/**
 * True if a value is an object or a list of objects. A list of names (`not one of ['red', 'green']`) is part of the
 * sentence around it.
 */
const isResponse = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (!Array.isArray(value) || typeof value[0] === "object")

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 300 && value < 600

class Collector {
  readonly tags: Array<string> = []
  readonly names: Array<string> = []
  readonly codes: Array<string> = []
  readonly statuses: Array<number> = []
  readonly places: Array<string> = []
  readonly texts = new Set<string>()
  readonly seen = new Set<object>()
  headers: Record<string, string> = {}
  exitCode: number | undefined
  wait: Duration.Duration | undefined
  requested: string | undefined
  target: Target | undefined
  room = longestText

  visit(value: unknown, depth: number, outer: string): void {
    if (typeof value === "string") this.readText(value, depth)
    else if (typeof value === "object" && value !== null) this.readObject(value, depth, outer)
  }

  readText(text: string, depth: number): void {
    const bounded = text.slice(0, this.room).trim()
    if (bounded === "" || depth > maximumDepth) return
    const whole = /^"(?:[[{]|\\")/.test(bounded) ? Literal.read(bounded, 0) : undefined
    if (typeof whole?.value === "string") return this.readText(whole.value, depth + 1)
    const literal = Literal.find(bounded)
    if (literal === undefined || !isResponse(literal.value)) return this.addText(bounded)
    const before = this.texts.size
    this.addText(bounded.slice(0, literal.start).replace(/[\s:>-]+$|^meta=\S+ content=$/, ""))
    const prefixed = this.texts.size
    this.visit(literal.value, depth + 1, "")
    if (this.texts.size === prefixed) {
      if (prefixed > before) this.texts.delete([...this.texts].at(-1) ?? "")
      this.addText(bounded)
    } else this.addText(bounded.slice(literal.end).replace(/^\s*isError=\w+$/, ""))
  }

  addText(text: string): void {
    const trimmed = text.trim()
    if (trimmed === "" || this.room <= 0 || this.texts.has(trimmed)) return
    this.texts.add(trimmed)
    this.room -= trimmed.length
  }

  readObject(object: object, depth: number, outer: string): void {
    if (depth > maximumDepth || this.seen.size >= maximumObjects || this.seen.has(object)) return
    this.seen.add(object)
    if (StatedEffect.sideEffectOf(object) !== undefined) return this.visit(StatedEffect.inner(object), depth, outer)
    if (ArrayBuffer.isView(object)) return
    if (Array.isArray(object)) {
      for (const element of object.slice(0, 6)) this.visit(element, depth + 1, outer)
      return
    }
    const tag = get(object, "_tag")
    if (typeof tag === "string") {
      if (outer !== "") this.tags.push(`${outer}/${tag}`)
      this.tags.push(tag)
    }
    this.readName(object)
    this.readCodes(object)
    for (const field of textFields) {
      const value = get(object, field)
      if (typeof value !== "string") continue
      if (/^[a-z]{2,20}(?:_[a-z]{2,20}){1,5}$/i.test(value)) this.codes.push(value)
      this.readText(value, depth + 1)
    }
    this.readMarks(object)
    for (const field of openFields) {
      const value = get(object, field)
      if (typeof value === "object" && value !== null)
        this.readObject(value, depth + 1, typeof tag === "string" ? tag : "")
      else if (typeof value === "string" && !textFields.includes(field)) this.readOpen(field, value, tag, depth)
    }
  }

  /** Reads a field that some sources fill with a code and others with a sentence. */
  readOpen(field: string, value: string, tag: unknown, depth: number): void {
    if (field === "reason" && typeof tag === "string" && token.test(value)) this.tags.push(`${tag}/${value}`)
    if ((field === "error" || field === "reason") && token.test(value)) this.codes.push(value)
    this.readText(value, depth + 1)
  }

  readName(object: object): void {
    const name = get(object, "name")
    const constructed = get((get(object, "constructor") as object) ?? {}, "name")
    for (const candidate of [name, constructed]) {
      if (
        typeof candidate === "string" &&
        token.test(candidate) &&
        !plainNames.has(candidate) &&
        !this.names.includes(candidate)
      ) {
        this.names.push(candidate)
      }
    }
  }

  readCodes(object: object): void {
    for (const field of codeFields) {
      const value = get(object, field)
      if (typeof value === "string") this.readCode(field, value.trim(), object)
      else if (typeof value === "number") this.readNumber(value, object)
    }
    this.readErrno(object)
    for (const field of statusFields) {
      const value = get(object, field)
      const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value
      if (typeof status === "number") {
        if (isStatus(status)) this.statuses.push(status)
      } else if (typeof value === "string" && token.test(value)) this.codes.push(value)
    }
    for (const field of exitFields) {
      const value = get(object, field)
      if (typeof value === "number") this.exitCode = value
    }
  }

  /** Reads `errno`, which Node and libuv negate. A positive number counts only alongside `syscall` or `sqlMessage`. */
  readErrno(object: object): void {
    const errno = get(object, "errno")
    if (typeof errno !== "number") return
    if (typeof get(object, "sqlMessage") === "string") this.codes.push(`mysql:${errno}`)
    else if (errno < 0 || typeof get(object, "syscall") === "string") this.codes.push(`errno:${Math.abs(errno)}`)
  }

  readCode(field: string, code: string, object: object): void {
    const last = code.slice(code.lastIndexOf("#") + 1)
    if (/^\d{3}$/.test(last) && isStatus(Number(last))) this.statuses.push(Number(last))
    else if (/^(?:-?\d{1,4}|-32\d{3})$/.test(last)) this.readNumber(Number(last), object)
    else if (stateIn(object, field, last) !== undefined) this.codes.push(`sqlstate:${last}`)
    else if (/^[\w.:/ -]{2,100}$/.test(last)) this.codes.push(last)
    // One-API gateways wrap the upstream's status: {"code": "bad_response_status_code", "param": "520"}.
    const param = get(object, "param")
    const upstream = typeof param === "string" || typeof param === "number" ? Number(param) : 0
    if (code === "bad_response_status_code" && isStatus(upstream)) this.statuses.unshift(upstream)
  }

  readNumber(code: number, object: object): void {
    if (isStatus(code)) this.statuses.push(code)
    else if (code <= -32_000 && code >= -32_999) this.codes.push(`jsonrpc:${code}`)
    else if (typeof get(object, "cmd") === "string") this.exitCode = code
    else if (typeof get(object, "details") === "string") this.codes.push(`grpc:${code}`)
    else this.codes.push(String(code))
  }

  /** Reads headers, requested delays, places and the target of a failed connection. */
  readMarks(object: object): void {
    const headers = get(object, "headers")
    if (typeof headers === "object" && headers !== null) this.readHeaders(headers)
    for (const field of placeFields) {
      const value = get(object, field)
      if (typeof value === "string") this.places.push(value.slice(0, 500))
    }
    const input = get(object, "code") === "ERR_INVALID_URL" ? get(object, "input") : undefined
    if (typeof input === "string") this.places.push(input.slice(0, 500))
    for (const field of ["request", "config"]) {
      const value = get(object, field)
      const url = typeof value === "object" && value !== null ? get(value, "url") : undefined
      if (typeof url !== "string") continue
      this.places.push(url.slice(0, 500))
      this.requested ??= url
    }
    const syscall = get(object, "syscall")
    if (syscall === "getaddrinfo") this.target ??= { _tag: "Lookup", name: get(object, "hostname") }
    if (syscall === "connect") {
      this.target ??= { _tag: "Connect", address: get(object, "address"), port: get(object, "port") }
    }
    if (this.wait !== undefined) return
    for (const field of waitFields) {
      this.wait ??= RetryAfter.fromField(field, get(object, field))
    }
  }

  readHeaders(headers: object): void {
    const entries = get(headers, "entries")
    const pairs = typeof entries === "function" ? iterated(entries, headers) : Object.entries(headers)
    for (const [name, value] of pairs.slice(0, maximumHeaders)) {
      const text = Array.isArray(value) ? value[0] : value
      if (typeof name === "string" && typeof text === "string") this.headers[name.toLowerCase()] ??= text
    }
  }
}

const maximumHeaders = 100

const iterated = (entries: Function, headers: object): ReadonlyArray<readonly [unknown, unknown]> => {
  const pairs: Array<readonly [unknown, unknown]> = []
  try {
    for (const pair of entries.call(headers) as Iterable<readonly [unknown, unknown]>) {
      if (pairs.push(pair) >= maximumHeaders) break
    }
  } catch {
    return pairs
  }
  return pairs
}

/** Collects the evidence of an error. `now`, in epoch milliseconds, converts dates in headers to delays. */
export const collect = (
  error: unknown,
  options: { readonly access: Access; readonly arguments?: unknown; readonly now?: number }
): Evidence => {
  const collector = new Collector()
  collector.visit(error instanceof QuotedError ? error.evidence : error, 0, "")
  const text = [...collector.texts].join("\n").slice(0, longestText)
  const lower = text.toLowerCase().replaceAll("\u2019", "'")
  const tokens = tokensOf(text)
  const stated = RetryAfter.fromHeaders(collector.headers, options.now) ?? collector.wait
  const retryAfter = stated ?? RetryAfter.fromText(text)
  return {
    error,
    access: options.access,
    ...(options.arguments === undefined ? {} : { arguments: options.arguments }),
    tags: collector.tags,
    names: [...collector.names, ...tokens.names],
    codes: [...collector.codes, ...tokens.codes],
    statuses: [...collector.statuses, ...tokens.statuses],
    headers: collector.headers,
    ...(collector.exitCode === undefined ? {} : { exitCode: collector.exitCode }),
    places: collector.places,
    wasRedirected: isRedirected(collector.requested, collector.target),
    text,
    lower,
    words: EchoedWords.remove(lower, options.arguments),
    isWaitStated: stated !== undefined,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(error instanceof QuotedError && error.message !== "" ? { quote: error.message } : {})
  }
}
