/**
 * Evidence about the effect of a write [3.3] in one object of an error's chain: an HTTP status, an error number of the
 * operating system, a code of a database driver, a failure of Effect's own clients.
 *
 * Names, messages and codes that only describe a failure prove nothing.
 */
import * as Cause from "effect/Cause"
import type { SideEffect } from "#domain/failure/Failure"
import type { FailureCode } from "#domain/failure/FailureCode"
import * as RetryAfter from "#domain/failure/RetryAfter"
import type { Diagnosis } from "#domain/classification/codes/Diagnosis"
import { ofTag } from "#domain/classification/codes/EffectTag"
import { ofErrno } from "#domain/classification/codes/Errno"
import { ofGrpc } from "#domain/classification/codes/Grpc"
import { ofMySql } from "#domain/classification/codes/MySql"
import { ofNode } from "#domain/classification/codes/NodeCode"
import { ofSqlState, stateIn } from "#domain/classification/codes/SqlState"

/** The evidence in an object. */
export interface LinkEvidence {
  readonly sideEffect: SideEffect
  /** The proof, such as `HTTP 404` or `ECONNREFUSED`. */
  readonly ground: string
  /**
   * False if no answer of the upstream arrived, or if a gateway may have sent the status instead: 408, 499, and 5xx
   * except 503 with `Retry-After`.
   */
  readonly isAnswered: boolean
  /** `weak`: a general tag, which evidence elsewhere in the chain outweighs. */
  readonly strength: "stated" | "firm" | "weak"
  /** True if the connection failed before anything was sent to its host, which a redirect may have named. */
  readonly isUnsent?: true
  /** The failure code, if the action was done and its answer was empty or unreadable. */
  readonly code?: Extract<FailureCode, "done_without_result" | "done_unreadable">
}

/** Reads a property. A getter that throws counts as absent. */
export const get = (object: object, key: string): unknown => {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

const none = (ground: string): LinkEvidence => ({ sideEffect: "none", ground, isAnswered: true, strength: "firm" })

const unsent = (ground: string): LinkEvidence => ({ ...none(ground), isAnswered: false, isUnsent: true })

const noAnswer = (ground: string, isWeak = false): LinkEvidence => ({
  sideEffect: "unknown",
  ground,
  isAnswered: false,
  strength: isWeak ? "weak" : "firm"
})

/** Returns the evidence in an object; `undefined` if there is none. */
export const ofLink = (link: object): LinkEvidence | undefined =>
  ofHttp(link) ?? ofCode(link) ?? ofEffect(link) ?? ofAbort(link)

const statusFields = [
  "status",
  "statusCode",
  "status_code",
  "httpStatus",
  "http_status",
  "httpStatusCode",
  "http_status_code"
]

const statusIn = (object: object, lowest: number): number | undefined => {
  for (const field of statusFields) {
    const value = get(object, field)
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value
    if (typeof status === "number" && Number.isInteger(status) && status >= lowest && status < 600) return status
  }
  return undefined
}

const ofHttp = (link: object): LinkEvidence | undefined => {
  const response = get(link, "response")
  const metadata = get(link, "$metadata")
  const hasResponse = typeof response === "object" && response !== null
  // below 400 a bare `status` may be the exit code of a process
  const status =
    (hasResponse ? statusIn(response, 200) : undefined) ??
    statusIn(link, 400) ??
    (typeof metadata === "object" && metadata !== null ? statusIn(metadata, 400) : undefined)
  if (status === undefined) return undefined
  const ground = `HTTP ${status}`
  const header = (name: string) =>
    (hasResponse ? headerOf(get(response, "headers"), name) : undefined) ?? headerOf(get(link, "headers"), name)
  if (status < 300) return ofSuccess(link, status, header)
  if (status < 400) return undefined
  // nginx writes 499 if its client, here a gateway, gave up before the answer
  if (status < 500) return status === 408 || status === 499 ? noAnswer(ground) : none(ground)
  const waits = status === 503 && RetryAfter.isStated(header)
  return waits ? none(`${ground} with Retry-After`) : noAnswer(ground)
}

const headerOf = (headers: unknown, name: string): string | undefined => {
  if (typeof headers !== "object" || headers === null) return undefined
  try {
    const read: unknown = (headers as Partial<Headers>).get
    if (typeof read === "function") return (read.call(headers, name) as string | null | undefined) ?? undefined
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] as unknown
    const value: unknown = Array.isArray(found) ? found[0] : found
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined
  } catch {
    return undefined
  }
}

/** Reads a 2xx status inside an error: the answer arrived, but the client could not read it. */
const ofSuccess = (link: object, status: number, header: (name: string) => string | undefined): LinkEvidence => {
  const ground = `HTTP ${status}`
  const committed: LinkEvidence = { ...none(ground), sideEffect: "committed" }
  if (status === 202) return { ...committed, sideEffect: "unknown" }
  const tag = get(link, "_tag")
  if (status === 204 || status === 205 || tag === "EmptyBodyError" || header("content-length") === "0") {
    return { ...committed, code: "done_without_result" }
  }
  // the upstream promised JSON and sent all of it; HTML and plain text may be the page of a gateway
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(header("content-type") ?? "")
  return tag === "DecodeError" && isJson && get(link, "cause") instanceof SyntaxError
    ? { ...committed, code: "done_unreadable" }
    : { ...committed, sideEffect: "unknown" }
}

/** The codes of failures without an answer. */
const unanswered: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "timeout",
  "connection_failed",
  "connection_lost",
  "body_cut",
  "unavailable"
])

const dns = /^(?:ENOTFOUND|EAI_[A-Z]+)$/
const resolver = /^(?:EREFUSED|ESERVFAIL|ENODATA|ETIMEOUT|EFORMERR|EBADRESP|ENOTIMP)$/

const ofCode = (link: object): LinkEvidence | undefined => {
  const code = get(link, "code")
  if (typeof code === "number") return ofNumber(link, code)
  const number = get(link, "errno")
  if (typeof number === "number" && typeof get(link, "sqlMessage") === "string") {
    return ofRow(ofMySql(`mysql:${number}`), `mysql:${number}`)
  }
  const state = get(link, "sqlState")
  const token = typeof code === "string" ? code : typeof state === "string" ? state : undefined
  if (token === undefined || token.length > 80) return undefined
  if (token === "ECONNREFUSED" || token === "WSAECONNREFUSED" || dns.test(token)) return unsent(token)
  const call = get(link, "syscall")
  if (typeof call === "string" && call.startsWith("query") && resolver.test(token)) return unsent(token)
  const isDatabase =
    stateIn(link, typeof code === "string" ? "code" : "sqlState", token) !== undefined ||
    /^(?:ER|CR|PROTOCOL)_/.test(token)
  return isDatabase ? ofDatabase(token) : ofRow(ofErrno(token) ?? ofNode(token), token)
}

/**
 * Reads an error of a database. If the database answered, it has refused or cancelled the statement, which proves
 * nothing. A lost connection and the driver's own time limit prove that no answer arrived.
 */
const ofDatabase = (token: string): LinkEvidence | undefined => {
  if (token === "HYT00" || token === "HYT01") return noAnswer(token)
  const row = ofSqlState(token) ?? ofMySql(token)
  return row?.code === "timeout" ? undefined : ofRow(row, token)
}

/** Reads a code of gRPC, whose errors have `details`, or a code of the MCP SDKs for a lost connection or a timeout. */
const ofNumber = (link: object, code: number): LinkEvidence | undefined => {
  if ((code === -32_000 || code === -32_001) && link instanceof Error) return noAnswer(`jsonrpc:${code}`)
  return typeof get(link, "details") === "string" ? ofRow(ofGrpc(`grpc:${code}`), `grpc:${code}`) : undefined
}

const ofRow = (row: Diagnosis | undefined, ground: string): LinkEvidence | undefined =>
  row !== undefined && unanswered.has(row.code) ? noAnswer(ground, row.weak === true) : undefined

/** Reads Effect's own errors, which consist of an outer tag and the tag of their reason. */
const ofEffect = (link: object): LinkEvidence | undefined => {
  const tag = get(link, "_tag")
  if (typeof tag !== "string") return undefined
  if (tag === "TimeoutError") return Cause.isTimeoutError(link) ? noAnswer(tag) : undefined
  const reason = get(link, "reason")
  const inner = typeof reason === "object" && reason !== null ? get(reason, "_tag") : undefined
  if (typeof inner !== "string") return undefined
  const pair = `${tag}/${inner}`
  if (tag === "DnsError" && ofTag(pair) !== undefined) return unsent(pair)
  // the database itself cancelled the statement, so it answered
  return pair === "SqlError/StatementTimeoutError" ? undefined : ofRow(ofTag(pair), pair)
}

/** Reads the error of an aborted `fetch`. */
const ofAbort = (link: object): LinkEvidence | undefined => {
  if (typeof DOMException === "undefined" || !(link instanceof DOMException)) return undefined
  const { name } = link
  return name === "AbortError" || name === "TimeoutError" || name === "NetworkError" ? noAnswer(name) : undefined
}
