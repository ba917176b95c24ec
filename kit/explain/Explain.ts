/**
 * Why a call went as it did: what it asked, who decided what, what the guard knew then, and what would have let it pass.
 *
 * A fold over the call's record, so a live call, a replayed one and a stored one are explained alike (SPEC 13.1).
 */
import type { ArgumentIssue } from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import type { CallRecord } from "effect-toolguard/internal/domain/call/CallRecord"
import * as CallTally from "effect-toolguard/internal/domain/call/CallTally"
import type { Failure } from "effect-toolguard/internal/domain/failure/Failure"
import { sameAgain } from "effect-toolguard/internal/domain/failure/codes/CodeInfo"
import { info } from "effect-toolguard/internal/domain/failure/FailureCode"
import { passesByClass, questions } from "./Passes.ts"

/** An earlier identical call of the turn. */
export interface Earlier {
  /** Its number, or its trace id. */
  readonly call: string
  readonly outcome: string
}

/** What is known beside the record. */
export interface Circumstances {
  /** How the call is named: `log.jsonl:3#7`, or a trace id. */
  readonly name: string
  /** As the model wrote them, redacted. */
  readonly arguments: string
  readonly issues: ReadonlyArray<ArgumentIssue>
  readonly earlier: ReadonlyArray<Earlier>
  /** What the log holds as its answer, redacted; absent where there is no log. */
  readonly answer?: string
  /** The stop is contradicted by that answer. */
  readonly isSuspect: boolean
}

export interface Explanation {
  readonly call: string
  readonly tool: string
  readonly arguments: string
  readonly conversation: string
  readonly turn: string
  readonly round: number
  /** One word: `passed`, `failed`, `refused`, `recalled`, `stopped`. */
  readonly verdict: string
  /** One sentence. */
  readonly why: string
  readonly failure: {
    readonly class: string
    readonly code: string
    readonly meaning: string
    readonly detail: string
    readonly hint: string
    readonly sideEffect: string
  } | null
  /** In the order in which they were made. */
  readonly decisions: ReadonlyArray<{
    readonly stage: string
    readonly question: string
    readonly decision: string
    readonly reason: string
  }>
  readonly attempts: number
  /** What breaks the schema, one line a field. */
  readonly issues: ReadonlyArray<string>
  readonly earlier: ReadonlyArray<Earlier>
  /** Absent where the call passed. */
  readonly wouldPass: string | null
  readonly answer: string | null
  readonly isSuspect: boolean
}

/** Explains a call by its record. */
export const explain = (record: CallRecord, around: Circumstances): Explanation => {
  const { attempts, conversation, decisions, outcome, round, sideEffect, tool, turn } = record
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  const tally = CallTally.of(record)
  const verdict = verdictOf(tally, failure !== undefined)
  return {
    call: around.name,
    tool,
    arguments: around.arguments,
    conversation,
    turn,
    round,
    verdict,
    why: whyOf(record, verdict, around.earlier),
    failure:
      failure === undefined
        ? null
        : {
            class: failure._tag,
            code: failure.code,
            meaning: info(failure.code)?.meaning ?? "A code of the tool's own checks.",
            detail: failure.detail,
            hint: failure.hint,
            sideEffect
          },
    decisions: decisions.map(({ decision, reason, stage }) => ({
      stage,
      question: questions[stage] ?? "",
      decision,
      reason
    })),
    attempts: attempts.length,
    issues: around.issues.map((issue) => ArgumentIssues.mismatch([issue]).text),
    earlier: around.earlier,
    wouldPass: failure === undefined ? null : passing(tally, failure),
    answer: around.answer ?? null,
    isSuspect: around.isSuspect
  }
}

const verdictOf = ({ refusal, saving }: CallTally.Tally, isFailed: boolean): string => {
  if (saving === "loop" || saving === "budget") return "stopped"
  if (saving !== undefined) return "recalled"
  return refusal === undefined ? (isFailed ? "failed" : "passed") : "refused"
}

const whyOf = (
  { attempts, decisions, outcome, tool }: CallRecord,
  verdict: string,
  earlier: ReadonlyArray<Earlier>
): string => {
  const last = decisions.at(-1)
  const times = earlier.length === 1 ? "once" : `${earlier.length} times`
  const before = earlier.length === 0 ? "" : ` The identical call was made ${times} before in this turn.`
  switch (verdict) {
    case "passed":
      return `${tool} was called and answered${attempts.length > 1 ? ` at attempt ${attempts.length}` : ""}.`
    case "failed":
      return outcome._tag === "Failure" ? `${tool} was called and failed: ${outcome.failure.detail}` : ""
    case "recalled":
      return `${tool} was not called again: ${last?.reason ?? "its answer was known"}.${before}`
    default:
      return `${tool} was not called: ${last?.reason ?? (outcome._tag === "Failure" ? outcome.failure.detail : "")}.${before}`.replace(
        "..",
        "."
      )
  }
}

const passing = ({ saving, refusal }: CallTally.Tally, { _tag, code }: Failure): string => {
  if (saving === "recall" || saving === "unchanged") return sameAgain
  const byCode = saving !== undefined || refusal !== undefined || info(code)?.tag === "HumanReview"
  return (byCode ? info(code)?.passage : undefined) ?? passesByClass[_tag]
}
