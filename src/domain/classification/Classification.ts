/**
 * Classifies an unknown error. A table decides its class and code [3.1]. If a write failed with the error, evidence
 * alone decides the side effect (`SideEffectEvidence`) [3.3].
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
 * - A read never has a side effect. On a write, names and words never decide it.
 * - With a 4xx response other than 408 and 409, no phrase makes an error transient, unless it names a limit or a
 *   gateway. With a 422, only a sentence about a limit does.
 * - The table never yields `PartialData`: a truncated body is `body_cut`, and only the caller has the part that
 *   arrived.
 */
import type * as Duration from "effect/Duration"
import type { Access } from "#domain/tool/Access"
import { collect } from "./Collector.ts"
import * as DeclaredError from "./DeclaredError.ts"
import { detailOf } from "./Detail.ts"
import type { Evidence } from "./Evidence.ts"
import type { Finding } from "./Finding.ts"
import { rules, sentenceRules } from "./Rules.ts"
import { type FailureTag, isFailure, type SideEffect } from "#domain/failure/Failure"
import { codes, type FailureCode } from "#domain/failure/FailureCode"
import { ownFailure } from "#domain/failure/OwnFailure"
import * as UpstreamWords from "./UpstreamWords.ts"
import * as SideEffectEvidence from "./SideEffectEvidence.ts"

export type { Evidence } from "./Evidence.ts"

/** The classification of an error. */
export interface ErrorClassification {
  readonly tag: FailureTag
  readonly code: FailureCode
  /** The code of an answered error, in snake_case, if the guard has no such code and it says more than `code`. */
  readonly ownCode?: string
  /** The paths that an answered error names; absent if it names none. */
  readonly fields?: ReadonlyArray<string>
  /** The next step that an answered error requests. Not redacted. */
  readonly hint?: string
  /** What happened, in one line: the upstream's words, or else a line of the message. Not redacted. */
  readonly detail: string
  readonly sideEffect: SideEffect
  /**
   * The evidence of the side effect, such as `HTTP 404`, `ECONNREFUSED` or `nothingDone`; `no evidence` if it is
   * unknown.
   */
  readonly ground: string
  /**
   * True if the upstream answered. False after a timeout, a lost connection, or a 5xx other than 503 with
   * Retry-After.
   */
  readonly isAnswered: boolean
  /** The delay that the upstream asked for. Only `Transient` and `Resource` have it. */
  readonly retryAfter?: Duration.Duration
  /** The name of the rule that decided, such as `http:404` or `sqlstate:42P01`; `own` for a failure of the guard. */
  readonly rule: string
}

/**
 * The decision of a user's rule. An omitted class follows from the code, and an omitted code from the class
 * (`tool_failed` if both are omitted). An omitted side effect follows from the evidence.
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
  /** The tool that was called. */
  readonly tool?: string
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
  HumanReview: "review_requested"
}

const isCode = (code: string): code is FailureCode => Object.hasOwn(codes, code)

const byUser = (evidence: Evidence, options: Options): ErrorClassification | undefined => {
  for (const { match, name } of options.rules ?? []) {
    const diagnosis = match(evidence)
    if (diagnosis === undefined) continue
    const code = diagnosis.code ?? (diagnosis.tag === undefined ? "tool_failed" : generalCode[diagnosis.tag])
    return finish(evidence, options, {
      tag: diagnosis.tag ?? codes[code].tag,
      code,
      rule: name,
      sideEffect: diagnosis.sideEffect,
      retryAfter: diagnosis.retryAfter,
      detail: diagnosis.detail ?? detailOf(evidence)
    })
  }
  return undefined
}

/** Passes on a failure of the guard unchanged. A custom code of a check becomes the general code of its class. */
const ourOwn = (evidence: EffectEvidence, options: Options): ErrorClassification | undefined => {
  const error = ownFailure(evidence.error)
  if (!isFailure(error)) return undefined
  const code = isCode(error.code) ? error.code : generalCode[error._tag]
  return finish(evidence, options, {
    tag: error._tag,
    code,
    rule: "own",
    sideEffect: undefined,
    retryAfter: error._tag === "Transient" || error._tag === "Resource" ? error.retryAfter : undefined,
    detail: error.detail
  })
}

/**
 * Classifies a failure of the guard without evidence. Only the delay of a failure that states none can be in its words.
 */
const ofOwnFailure = (error: unknown, options: Options): ErrorClassification | undefined => {
  if (!isFailure(error)) return undefined
  const mayWait = error._tag === "Transient" || error._tag === "Resource"
  if (mayWait && error.retryAfter === undefined) return undefined
  return ourOwn({ error, access: options.access, wasRedirected: false }, options)
}

/** The evidence of what a failed call did, and of when it may be repeated. */
type EffectEvidence = Pick<Evidence, "access" | "error" | "retryAfter" | "wasRedirected">

interface ClassDecision {
  readonly tag: FailureTag
  readonly code: FailureCode
  readonly rule: string
  /** The side effect that a rule decides; undefined if the evidence decides. */
  readonly sideEffect: SideEffect | undefined
  readonly retryAfter: Duration.Duration | undefined
  readonly detail: string
}

const finish = (evidence: EffectEvidence, { tool }: Options, decided: ClassDecision): ErrorClassification => {
  const { code, ground, isAnswered, sideEffect } = effectOf(evidence, tool)
  // an answer that proves the action has its own code, unless the user's rule or the handler names a code
  const isDone = code !== undefined && decided.sideEffect === undefined && decided.rule !== "own"
  const tag = isDone ? codes[code].tag : decided.tag
  const waits = tag === "Transient" || tag === "Resource"
  const retryAfter = waits ? (decided.retryAfter ?? evidence.retryAfter) : undefined
  return {
    tag,
    code: isDone ? code : decided.code,
    detail: decided.detail,
    ...(decided.sideEffect === undefined || evidence.access === "read"
      ? { sideEffect, ground }
      : { sideEffect: decided.sideEffect, ground: `rule ${decided.rule}` }),
    isAnswered,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    rule: decided.rule
  }
}

const ofRead: SideEffectEvidence.SideEffectEvidence = { sideEffect: "none", ground: "it only reads", isAnswered: true }

const effectOf = ({ access, error, wasRedirected }: EffectEvidence, tool: string | undefined) =>
  access === "read" ? ofRead : SideEffectEvidence.read(error, { tool, wasRedirected })

/** The finding if no rule decides. */
const byDefault: Finding = { name: "default", diagnosis: { code: "tool_failed" } }

/** The finding if no rule decides, but the upstream states when the call may be repeated. */
const byWait: Finding = { name: "retry-after", diagnosis: { code: "temporary_failure" } }

const inTable = (evidence: Evidence, table = rules): Finding => {
  for (const rule of table) {
    const found = rule(evidence)
    if (found !== undefined) return found
  }
  return byDefault
}

const phrased = rules.filter((rule) => !sentenceRules.has(rule))

/**
 * Returns the name of the row whose words a message has, as in `ErrorClassification.rule`. The grammar is left out,
 * because it also finds roles in texts that are data.
 */
export const ruleOf = (message: string): string => inTable(collect(message, { access: "read" }), phrased).name

const byTable = (evidence: Evidence, options: Options): ErrorClassification => {
  const found = inTable(evidence)
  const finding = found === byDefault && evidence.isWaitStated ? byWait : found
  const declared = DeclaredError.of(evidence.error)
  if (declared !== undefined) return byDeclared(evidence, options, declared, finding)
  const { name, diagnosis } = finding
  return finish(evidence, options, {
    tag: codes[diagnosis.code].tag,
    code: diagnosis.code,
    rule: name,
    sideEffect: undefined,
    retryAfter: undefined,
    detail: detailOf(evidence)
  })
}

/**
 * Classifies an error that states its class or its code. The code comes from the table if the table finds the same
 * class, and otherwise from the error.
 */
const byDeclared = (
  evidence: Evidence,
  options: Options,
  { code, fields, hint, retryable, tag: stated, words }: DeclaredError.DeclaredError,
  { diagnosis, name }: Finding
): ErrorClassification => {
  const found = codes[diagnosis.code].tag
  const isGeneral = diagnosis === byDefault.diagnosis || diagnosis === byWait.diagnosis
  const tag =
    stated ??
    (retryable === true && isGeneral ? "Transient" : retryable === false && found === "Transient" ? "Permanent" : found)
  const isFound = tag === found && diagnosis !== byDefault.diagnosis
  const classified = finish(evidence, options, {
    tag,
    code: tag === found ? diagnosis.code : generalCode[tag],
    rule: tag === found ? name : "declared",
    sideEffect: undefined,
    retryAfter: undefined,
    detail: (evidence.quote === undefined || hint !== undefined ? words : "") || detailOf(evidence)
  })
  // the evidence proves that the action was done
  if (classified.tag !== tag) return classified
  return {
    ...classified,
    ...(code === undefined || isFound || tag === "HumanReview" ? {} : { ownCode: code }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(hint === undefined ? {} : { hint })
  }
}

const decide = (evidence: Evidence, options: Options): ErrorClassification =>
  byUser(evidence, options) ?? ourOwn(evidence, options) ?? byTable(evidence, options)

/** Classifies the failure of a handler. Accepts any value; a value without evidence gets the code `tool_failed`. */
export const classify = (error: unknown, options: Options): ErrorClassification =>
  (options.rules === undefined ? ofOwnFailure(error, options) : undefined) ?? decide(collect(error, options), options)

/** Classifies an HTTP response. Returns `undefined` for 2xx. Header names are case-insensitive. */
export const classifyResponse = (
  response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  options: Options
): ErrorClassification | undefined =>
  response.status >= 200 && response.status < 300
    ? undefined
    : decide(quoting(collect(response, options), UpstreamWords.ofText(response.body ?? "")), options)

const quoting = (evidence: Evidence, quote: string): Evidence => (quote === "" ? evidence : { ...evidence, quote })
