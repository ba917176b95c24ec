/**
 * Explains a call: its arguments, the decisions of the stages, the context of these decisions, and the condition under
 * which the call would have passed.
 *
 * The explanation is a fold over the call's record, so live, replayed and stored calls are explained alike [13.1].
 */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import { type Failure, isRefusal } from "effect-toolguard/internal/domain/failure/Failure"
import { repeatConditions } from "effect-toolguard/internal/domain/failure/codes/CodeInfo"
import { info } from "effect-toolguard/internal/domain/failure/FailureCode"
import { passesByClass, questions } from "./Phrases.ts"

/** An earlier identical call of the turn. */
export interface Earlier {
  /** The number of the call, or its trace id. */
  readonly call: string
  readonly outcome: string
}

/** The part of a call's context that the call's record does not contain. */
interface CallContext {
  /** The name of the call: `log.jsonl:3#7`, or a trace id. */
  readonly name: string
  /** The arguments as the model wrote them, redacted. */
  readonly arguments: string
  readonly issues: ReadonlyArray<ArgumentIssue>
  readonly earlier: ReadonlyArray<Earlier>
  /** The answer in the log, redacted; absent without a log. */
  readonly answer?: string
  /** True if the guard would have blocked the call although the call worked. */
  readonly isSuspect: boolean
}

/** The explanation of one call, as data. */
export interface Explanation {
  readonly call: string
  readonly tool: string
  readonly arguments: string
  readonly conversation: string
  readonly turn: string
  readonly round: number
  /** One of `passed`, `failed`, `declined` (a refusal that the tool declares), `refused`, `recalled`, `stopped`. */
  readonly verdict: string
  /** The reason for the verdict, in one sentence. */
  readonly why: string
  readonly failure: {
    readonly class: string
    readonly code: string
    readonly meaning: string
    readonly detail: string
    readonly hint: string
    readonly sideEffect: string
  } | null
  /** The decisions, in the order in which they were made. */
  readonly decisions: ReadonlyArray<{
    readonly stage: string
    readonly question: string
    readonly decision: string
    readonly reason: string
  }>
  /** The failures that the guard found and did not enforce, one line each. */
  readonly notEnforced: ReadonlyArray<string>
  readonly attempts: number
  /** The violations of the schema, one line per field. */
  readonly issues: ReadonlyArray<string>
  readonly earlier: ReadonlyArray<Earlier>
  /** The defect of the handler, of a check or of the guard, with its stack, redacted; null if nothing crashed. */
  readonly crash: string | null
  /** The condition under which the call would have passed; null if it did not fail. */
  readonly wouldPass: string | null
  readonly answer: string | null
  readonly isSuspect: boolean
}

/** Explains a call by its record. */
export const explain = (record: CallRecord, context: CallContext): Explanation => {
  const { attempts, conversation, decisions, outcome, round, sideEffect, tool, turn } = record
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  const tally = CallTally.of(record)
  const verdict = verdictOf(tally, failure !== undefined)
  return {
    call: context.name,
    tool,
    arguments: context.arguments,
    conversation,
    turn,
    round,
    verdict,
    why: whyOf(record, verdict, context.earlier),
    failure:
      failure === undefined
        ? null
        : {
            class: failure._tag,
            code: failure.code,
            meaning:
              info(failure.code)?.meaning ??
              (isRefusal(failure) ? "A refusal that the tool declares." : "A code of one of the tool's checks."),
            detail: failure.detail,
            hint: failure.hint,
            sideEffect
          },
    decisions: decisions.map(({ decision, reason, stage }) => ({
      stage,
      question: questions.get(stage) ?? "",
      decision,
      reason
    })),
    notEnforced: (record.notEnforced ?? []).map((one) => `${one.class} ${one.code}: ${one.detail}`),
    attempts: attempts.length,
    issues: context.issues.map((issue) => ArgumentIssues.mismatch([issue]).text),
    earlier: context.earlier,
    crash: record.crash ?? null,
    wouldPass: failure === undefined ? null : passageOf(tally, failure),
    answer: context.answer ?? null,
    isSuspect: context.isSuspect
  }
}

const verdictOf = ({ declared, refusal, saving }: CallTally.Tally, isFailed: boolean): string => {
  if (saving === "loop" || saving === "budget") return "stopped"
  if (saving !== undefined) return "recalled"
  if (declared !== undefined) return "declined"
  return refusal === undefined ? (isFailed ? "failed" : "passed") : "refused"
}

const whyOf = (
  { attempts, decisions, outcome, tool }: CallRecord,
  verdict: string,
  earlier: ReadonlyArray<Earlier>
): string => {
  const last = decisions.at(-1)
  const times = earlier.length === 1 ? "once" : `${earlier.length} times`
  const before = earlier.length === 0 ? "" : ` An identical call was made ${times} before in this turn.`
  switch (verdict) {
    case "passed":
      return `${tool} was called and answered${attempts.length > 1 ? ` on attempt ${attempts.length}` : ""}.`
    case "failed":
      return outcome._tag === "Failure" ? `${tool} was called and failed: ${outcome.failure.detail}` : ""
    case "declined":
      return outcome._tag === "Failure"
        ? `${tool} was called, but refused the action and did nothing: ${outcome.failure.detail}`
        : ""
    case "recalled":
      return `${tool} was not called again: ${last?.reason ?? "its answer was known"}.${before}`
    default:
      return `${tool} was not called: ${last?.reason ?? (outcome._tag === "Failure" ? outcome.failure.detail : "")}.${before}`.replace(
        "..",
        "."
      )
  }
}

const passageOf = ({ declared, saving, refusal }: CallTally.Tally, { _tag, code }: Failure): string => {
  if (saving === "recall" || saving === "unchanged") return repeatConditions
  if (declared !== undefined) return "other arguments, or a change to the state that made the tool refuse"
  const byCode = saving !== undefined || refusal !== undefined || info(code)?.tag === "HumanReview"
  return (byCode ? info(code)?.passCondition : undefined) ?? passesByClass[_tag]
}
