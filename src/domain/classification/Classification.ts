/**
 * Classifies an unknown error: its class, its code, and the side effect of a write that failed with it [3.1], [3.3].
 *
 * **Details**
 *
 * The first rule that returns a finding decides. The user's rules are tried first, then the guard's own failures, then
 * the table in `classification/Rules`: Effect's errors · limits, which gateways send with any status · fixed messages
 * that override their code · codes (errno, SQLSTATE, gRPC, AWS, JSON-RPC, providers …) · HTTP statuses · messages of
 * known programs · exception classes · general phrases · weak rows (HTTP 400 and 500, `ValueError` …). A rule of the
 * table reads the evidence (`classification/Evidence`).
 *
 * **Gotchas**
 *
 * - A read never has a side effect. On a write, a general transient phrase leaves the side effect unknown.
 * - With a 4xx response other than 408 and 409, no phrase makes an error transient, unless it names a limit or a
 *   gateway.
 * - The table never yields `PartialData`: a truncated body is `body_cut`, and only the caller has the part that
 *   arrived.
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"
import { collect } from "./Collector.ts"
import { detailOf } from "./Detail.ts"
import type { Evidence } from "./Evidence.ts"
import type { Finding } from "./Finding.ts"
import { rules } from "./Rules.ts"
import { type FailureTag, isFailure, type SideEffect } from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"

export type { Evidence } from "./Evidence.ts"

/** The classification of an error. */
export interface Classified {
  readonly tag: FailureTag
  readonly code: FailureCode
  /** What happened, in one line. By default a line of the message, at most 200 characters. Not redacted. */
  readonly detail: string
  readonly sideEffect: SideEffect
  /** The delay that the upstream asked for. Only `Transient` and `Resource` have it. */
  readonly retryAfter?: Duration.Duration
  /** The name of the rule that decided, such as `http:404` or `sqlstate:42P01`; `own` for a failure of the guard. */
  readonly rule: string
}

/**
 * What a user's rule decides. An omitted class follows from the code, and an omitted code from the class (`tool_failed`
 * if both are omitted). An omitted side effect is `unknown` on a write.
 */
export interface RuleVerdict {
  readonly tag?: FailureTag
  readonly code?: FailureCode
  readonly detail?: string
  readonly sideEffect?: SideEffect
  readonly retryAfter?: Duration.Duration
}

/** A user's rule. Users' rules come before all others. If `match` returns `undefined`, the next rule is tried. */
export interface Rule {
  readonly name: string
  readonly match: (evidence: Evidence) => RuleVerdict | undefined
}

/** The call that failed, and the user's rules. */
export interface Options {
  readonly access: Access
  readonly rules?: ReadonlyArray<Rule>
  /** The decoded arguments. A missing thing is a `ToolArgError` only if the arguments name it. */
  readonly arguments?: unknown
  /** The current time in epoch milliseconds, which converts a date in `Retry-After` to a delay. */
  readonly now?: number
}

/** The code that is used if only the class is known. */
const generalCode: { readonly [Tag in FailureTag]: FailureCode } = {
  ToolArgError: "invalid_request",
  SchemaMismatch: "invalid_result",
  PartialData: "salvaged",
  SemanticGarbage: "tool_failed",
  Transient: "temporary_failure",
  Resource: "limit_exceeded",
  Permanent: "tool_failed",
  HumanReview: "outcome_unknown"
}

const isCode = (code: string): code is FailureCode => Object.hasOwn(codes, code)

const byUser = (evidence: Evidence, options: Options): Classified | undefined => {
  for (const { match, name } of options.rules ?? []) {
    const diagnosis = match(evidence)
    if (diagnosis === undefined) continue
    const code = diagnosis.code ?? (diagnosis.tag === undefined ? "tool_failed" : generalCode[diagnosis.tag])
    return finish(evidence, {
      tag: diagnosis.tag ?? codes[code].tag,
      code,
      rule: name,
      sideEffect: diagnosis.sideEffect ?? "unknown",
      retryAfter: diagnosis.retryAfter,
      detail: diagnosis.detail
    })
  }
  return undefined
}

/** Passes on a failure of the guard unchanged. A custom code of a check becomes the general code of its class. */
const ourOwn = (evidence: Evidence): Classified | undefined => {
  const { error } = evidence
  if (!isFailure(error)) return undefined
  const code = isCode(error.code) ? error.code : generalCode[error._tag]
  return finish(evidence, {
    tag: error._tag,
    code,
    rule: "own",
    sideEffect: error.sideEffect,
    retryAfter: error._tag === "Transient" || error._tag === "Resource" ? error.retryAfter : undefined,
    detail: error.detail
  })
}

interface Decided {
  readonly tag: FailureTag
  readonly code: FailureCode
  readonly rule: string
  readonly sideEffect: SideEffect
  readonly retryAfter: Duration.Duration | undefined
  readonly detail: string | undefined
}

const finish = (evidence: Evidence, decided: Decided): Classified => {
  const waits = decided.tag === "Transient" || decided.tag === "Resource"
  const retryAfter = waits ? (decided.retryAfter ?? evidence.retryAfter) : undefined
  return {
    tag: decided.tag,
    code: decided.code,
    detail: decided.detail ?? detailOf(evidence),
    sideEffect: sideEffectOf(evidence, decided),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    rule: decided.rule
  }
}

const sideEffectOf = ({ access, isElsewhere }: Evidence, { rule, sideEffect }: Decided): SideEffect => {
  if (access === "read") return "none"
  return isElsewhere && sideEffect === "none" && rule !== "own" ? "unknown" : sideEffect
}

/** The finding if no rule decides. */
const byDefault: Finding = { name: "default", diagnosis: { code: "tool_failed", sideEffect: "unknown" } }

const inTable = (evidence: Evidence): Finding => {
  for (const rule of rules) {
    const found = rule(evidence)
    if (found !== undefined) return found
  }
  return byDefault
}

/** Returns the name of the row that decides a message, as in `Classified.rule`. */
export const ruleOf = (message: string): string => inTable(collect(message, { access: "read" })).name

const byTable = (evidence: Evidence): Classified => {
  const { name, diagnosis } = inTable(evidence)
  return finish(evidence, {
    tag: codes[diagnosis.code].tag,
    code: diagnosis.code,
    rule: name,
    sideEffect: diagnosis.sideEffect,
    retryAfter: undefined,
    detail: undefined
  })
}

const decide = (evidence: Evidence, options: Options): Classified =>
  byUser(evidence, options) ?? ourOwn(evidence) ?? byTable(evidence)

/** Classifies the failure of a handler. Accepts any value; a value without evidence gets the code `tool_failed`. */
export const classify = (error: unknown, options: Options): Classified => decide(collect(error, options), options)

/** Classifies an HTTP response. Returns `undefined` for 2xx. Header names are case-insensitive. */
export const classifyResponse = (
  response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  options: Options
): Classified | undefined =>
  response.status >= 200 && response.status < 300
    ? undefined
    : classify({ status: response.status, headers: response.headers, body: response.body }, options)
