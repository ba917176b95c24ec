/**
 * Says what an unknown error is: its class, its code, and what a write that failed so did to the world (SPEC 3.1, 3.3).
 *
 * **Details**
 *
 * The table is a list of rules over the evidence (`classification/Evidence`), in `classification/Rules`; the first that
 * answers decides: the user's rules · our own failures · Effect's errors · limits, which gateways wrap in any status ·
 * codes (errno, SQLSTATE, gRPC, AWS, JSON-RPC, providers …) · HTTP statuses · what known programs print · exception
 * classes · whole phrases · and last the rows marked weak (HTTP 400 and 500, `ValueError` …), which words may refine.
 *
 * **Gotchas**
 *
 * - A read never has a side effect. On a write, words that call a fault passing do not promise that nothing was done.
 * - In an answer of 4xx no phrase makes an error transient, but where it names a limit, a gateway or a conflict (409).
 * - The result is never `PartialData`: a piece is missing, and only the caller has what is there (`body_cut`).
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"
import { collect } from "./Collect.ts"
import { detailOf } from "./Detail.ts"
import type { Evidence } from "./Evidence.ts"
import type { Finding } from "./Finding.ts"
import { rules } from "./Rules.ts"
import { type FailureTag, isFailure, type SideEffect } from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"

export type { Evidence } from "./Evidence.ts"

/** What an error is. */
export interface Classified {
  readonly tag: FailureTag
  readonly code: FailureCode
  /** One line, at most 200 characters: the first useful line of the message. Not redacted. */
  readonly detail: string
  readonly sideEffect: SideEffect
  /** What the upstream asks to wait; only for `Transient` and `Resource`. */
  readonly retryAfter?: Duration.Duration
  /** The row that decided, such as `http:404` or `sqlstate:42P01`. */
  readonly rule: string
}

/** What a rule of the user's says. What it leaves out follows from the rest: the class from the code, and so on. */
export interface RuleVerdict {
  readonly tag?: FailureTag
  readonly code?: FailureCode
  readonly detail?: string
  readonly sideEffect?: SideEffect
  readonly retryAfter?: Duration.Duration
}

/** A row of the user's own, asked before all others. `undefined` passes the error on. */
export interface Rule {
  readonly name: string
  readonly match: (evidence: Evidence) => RuleVerdict | undefined
}

/** What is known of the call. */
export interface Options {
  readonly access: Access
  readonly rules?: ReadonlyArray<Rule>
  /** The decoded arguments: a missing thing is a `ToolArgError` only where they name it. */
  readonly arguments?: unknown
  /** Epoch milliseconds: what a date in `Retry-After` is read against. */
  readonly now?: number
}

/** The code of a class where only the class is known. */
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

/** A failure of ours goes through as it is; a code of a check's own becomes the general one of its class. */
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

/** What the table says where no row answers. */
const byDefault: Finding = { name: "default", diagnosis: { code: "tool_failed", sideEffect: "unknown" } }

const inTable = (evidence: Evidence): Finding => {
  for (const rule of rules) {
    const found = rule(evidence)
    if (found !== undefined) return found
  }
  return byDefault
}

/** The row of the table that knows the words of a message, as `Classified.rule`. */
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

/** Classifies whatever a handler failed with. Total: anything is an error, and one that says nothing is `tool_failed`. */
export const classify = (error: unknown, options: Options): Classified => decide(collect(error, options), options)

/** Classifies an HTTP answer; `undefined` for 2xx, whose body is the result's business. Header names in any case. */
export const classifyResponse = (
  response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  options: Options
): Classified | undefined =>
  response.status >= 200 && response.status < 300
    ? undefined
    : classify({ status: response.status, headers: response.headers, body: response.body }, options)
