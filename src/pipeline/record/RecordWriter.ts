/**
 * Writes the record of a call, with as much of its data as the log keeps. Arguments and results are redacted unless the
 * log keeps them in full; all other texts are always redacted.
 *
 * If a redactor or a codec throws, the record is still written, without any text of the call.
 */
import * as CallKey from "#domain/call/CallKey"
import type { CallRecord } from "#domain/call/CallRecord"
import { field } from "#domain/json/JsonObject"
import { type Failure, refusalOf } from "#domain/failure/Failure"
import type { UnenforcedFailure } from "#domain/call/UnenforcedFailure"
import * as Enforcement from "#domain/turn/Enforcement"
import type { EnforcementMode } from "#domain/tool/PolicyInput"
import { isProven, type Outcome } from "#domain/call/Outcome"
import type { Keep } from "#services/CallLog"
import type { Redactor } from "#services/Redactor"
import { encoderOf } from "#pipeline/call/CompiledTool"
import * as Cause from "effect/Cause"
import { now, type Call } from "#pipeline/call/Call"
import { ofKey, ofResult, type Sha256 } from "./Digests.ts"
import * as ReceivedArguments from "./ReceivedArguments.ts"
import * as RecordedCause from "./RecordedCause.ts"
import { changed } from "#pipeline/call/Refusal"

/** The maximum number of characters of the text of a defect that a record holds. */
const longestCrash = 4_000

/** Returns the defect with its stack, or a fixed text if the fields of the error throw. */
const crashText = (crash: Cause.Cause<unknown>): string => {
  try {
    return Cause.pretty(crash).slice(0, 4 * longestCrash)
  } catch {
    return "a defect that cannot be printed"
  }
}

/** How much of a call a record holds, and how it is redacted. */
interface RecordDetail {
  readonly keep: Keep
  readonly text: (text: string) => string
  readonly data: (value: unknown) => unknown
}

const withheld: RecordDetail = { keep: "none", text: () => "[withheld]", data: () => "[withheld]" }

/** Returns a function that writes the record of an ended call. It never throws. */
export const writer = (
  keep: Keep,
  redactor: Redactor["Service"],
  sha256: Sha256
): ((call: Call, outcome: Outcome, startedAt: number) => CallRecord) => {
  const usual: RecordDetail = { keep, text: redactor.text, data: redactor.data }
  return (call, outcome, startedAt) => {
    const keyDigest = ofKey(call, sha256)
    const resultDigest = ofResult(call, outcome, sha256)
    const make = (keeping: RecordDetail): CallRecord =>
      resultDigest === undefined
        ? new WrittenRecord(keeping, call, outcome, startedAt, keyDigest)
        : new RecordWithResult(keeping, call, outcome, startedAt, keyDigest, resultDigest)
    try {
      return make(usual)
    } catch {
      return make(withheld)
    }
  }
}

/** Returns the redacted failure for a log; without its texts if the redactor throws. */
export const redactedFailure = (redactor: Redactor["Service"], call: Call, failure: Failure): Failure => {
  try {
    return failed({ keep: "none", text: redactor.text, data: redactor.data }, call, failure)
  } catch {
    return failed(withheld, call, failure)
  }
}

/** The record of a call without a result. The digest of its key is a getter: see `Digests`. */
class WrittenRecord implements CallRecord {
  readonly tenant: string
  declare readonly principal?: string
  readonly conversation: string
  readonly turn: string
  readonly round: number
  readonly callId: string
  readonly tool: string
  declare readonly toolId?: string
  declare readonly argumentsText?: string
  declare readonly arguments?: unknown
  declare readonly key?: string
  readonly startedAt: number
  readonly durationMillis: number
  readonly decisions: CallRecord["decisions"]
  readonly attempts: CallRecord["attempts"]
  readonly outcome: CallRecord["outcome"]
  declare readonly enforcement?: EnforcementMode
  declare readonly notEnforced?: ReadonlyArray<UnenforcedFailure>
  readonly sideEffect: CallRecord["sideEffect"]
  declare readonly usedFallback?: string
  declare readonly crash?: string
  readonly traceId: string
  readonly #keyDigest: () => string

  constructor(keeping: RecordDetail, call: Call, outcome: Outcome, startedAt: number, keyDigest: () => string) {
    const { keep, text } = keeping
    const { arguments: args, attempts, crash, decisions, key, notEnforced } = call.trace
    this.tenant = call.turn?.tenant ?? "default"
    if (call.turn?.principal !== undefined) this.principal = call.turn.principal
    this.conversation = call.turn?.conversation ?? call.traceId
    this.turn = call.turn?.turn ?? ""
    this.round = call.round
    this.callId = call.callId
    this.tool = call.name
    const { enforce, id, name } = call.tool.definition
    if (id !== name) this.toolId = id
    if (keep !== "none") {
      // the received form is omitted only for decoded arguments of a program
      const received = key !== undefined && call.origin === "program" ? {} : ReceivedArguments.of(call)
      if (received.text !== undefined) this.argumentsText = argumentsTextOf(keeping, received.text)
      if (key !== undefined) {
        const encoded = call.tool.contract.encode(args)
        this.arguments = dataOf(keeping, encoded)
        this.key = keyOf(keeping, call, key(), encoded, this.arguments)
      } else if (received.value !== undefined) {
        this.arguments = dataOf(keeping, received.value)
      }
    }
    this.startedAt = startedAt
    this.durationMillis = now(call) - startedAt
    this.outcome = ended(keeping, call, outcome)
    this.decisions = decisions.length === 0 ? decisions : decisionsOf(keeping, decisions, outcome, this.outcome)
    const side = Enforcement.sideOf(enforce, call.turn)
    if (side !== undefined) this.enforcement = side
    if (notEnforced.length > 0) this.notEnforced = notEnforced.map((each) => unenforced(keeping, each))
    this.attempts = attempts
    this.sideEffect = sideEffectOf(call, outcome)
    if (outcome.usedFallback !== undefined) this.usedFallback = outcome.usedFallback
    if (crash !== undefined) this.crash = text(crashText(crash)).slice(0, longestCrash)
    this.traceId = call.traceId
    this.#keyDigest = keyDigest
  }

  get keyDigest(): string {
    return this.#keyDigest()
  }
}

/** The record of a call with a result, whose digest is a getter too. */
class RecordWithResult extends WrittenRecord {
  readonly #resultDigest: () => string

  constructor(
    keeping: RecordDetail,
    call: Call,
    outcome: Outcome,
    startedAt: number,
    keyDigest: () => string,
    resultDigest: () => string
  ) {
    super(keeping, call, outcome, startedAt, keyDigest)
    this.#resultDigest = resultDigest
  }

  get resultDigest(): string {
    return this.#resultDigest()
  }
}

/**
 * Redacts the reasons of decisions, because decisions quote checks, people and broken functions. A reason that equals
 * the failure's detail is replaced with the redacted detail, to avoid a second search for secrets.
 */
const decisionsOf = (
  { text }: RecordDetail,
  decisions: CallRecord["decisions"],
  outcome: Outcome,
  written: CallRecord["outcome"]
): CallRecord["decisions"] => {
  const detail = outcome._tag === "Failure" ? outcome.failure.detail : undefined
  return decisions.map(({ decision, reason, stage }) => ({
    stage,
    decision,
    reason: reason === detail && written._tag === "Failure" ? written.failure.detail : text(reason)
  }))
}

/** The maximum number of characters of the path of a failure that was not enforced. */
const longestPath = 200

const unenforced = ({ text }: RecordDetail, { path, ...failure }: UnenforcedFailure): UnenforcedFailure => ({
  ...failure,
  ...(path === undefined ? {} : { path: text(path).slice(0, longestPath) }),
  detail: text(failure.detail)
})

const ended = (keeping: RecordDetail, call: Call, outcome: Outcome): CallRecord["outcome"] => {
  if (outcome._tag === "Failure") return { _tag: "Failure", failure: failed(keeping, call, outcome.failure) }
  const executed = outcome.notExecuted === undefined ? {} : ({ executed: false } as const)
  return keeping.keep === "none"
    ? { _tag: "Success", ...executed }
    : { _tag: "Success", result: dataOf(keeping, encoderOf(call.tool, outcome)(outcome.value)), ...executed }
}

const sideEffectOf = (call: Call, outcome: Outcome): CallRecord["sideEffect"] => {
  if (outcome._tag === "Failure") return outcome.failure.sideEffect
  if (call.tool.definition.access === "read" || outcome.notExecuted !== undefined) return "none"
  return isProven(outcome) ? "committed" : "unknown"
}

/**
 * Redacts a failure and its cause. Treats its data like a result, and its `next` like arguments. Null replaces an
 * omitted value, because a page is recognised by its `next`.
 */
const failed = (keeping: RecordDetail, call: Call, failure: Failure): Failure => {
  const kept = (encode: () => unknown): unknown => (keeping.keep === "none" ? null : dataOf(keeping, encode()))
  const refusal = refusalOf(failure)
  return changed(failure, {
    detail: keeping.text(failure.detail),
    ...(failure.cause === undefined ? {} : { cause: RecordedCause.of(keeping, failure.cause) }),
    ...(refusal === undefined ? {} : { refusal: refusalKept(keeping, refusal) }),
    ...(failure._tag === "PartialData" ? { data: kept(() => call.tool.result.encode(failure.data)) } : {}),
    ...(failure._tag === "PartialData" && failure.next !== undefined ? { next: kept(() => failure.next) } : {})
  })
}

/** Redacts the fields of a declared refusal. Its tag stays, even if fields are not kept. */
const refusalKept = (keeping: RecordDetail, refusal: unknown): unknown =>
  keeping.keep === "none" ? { _tag: field(refusal, "_tag") ?? null } : dataOf(keeping, refusal)

/**
 * Redacts the text that the model wrote. If the parsed value contains secrets, the text is written again from the
 * redacted value, because escapes can hide secrets in the text.
 */
const argumentsTextOf = ({ data, keep, text }: RecordDetail, written: string): string => {
  if (keep === "full") return written
  try {
    const value: unknown = JSON.parse(written)
    const clean = data(value)
    return text(clean === value ? written : JSON.stringify(clean))
  } catch {
    return text(written)
  }
}

/** Returns the key of the call, or the key of the redacted arguments if the arguments contained secrets. */
const keyOf = ({ keep, text }: RecordDetail, call: Call, key: string, encoded: unknown, clean: unknown): string => {
  if (keep === "full") return key
  return text(clean === encoded ? key : CallKey.of(call.tool.scope, clean))
}

const dataOf = ({ data, keep }: RecordDetail, encoded: unknown): unknown => (keep === "full" ? encoded : data(encoded))
