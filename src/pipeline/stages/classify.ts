/**
 * [3.1] Turns the answer of an attempt into its outcome: a value, the verdict of a check, or a classified failure.
 *
 * If the tool only advises, a result that the guard would refuse is a success, and the failure is recorded [2.2].
 */
import {
  classify as classifyError,
  classifyResponse,
  type ErrorClassification,
  type Options
} from "#domain/classification/Classification"
import { StatedError } from "#domain/classification/DeclaredError"
import { QuotedError } from "#domain/classification/QuotedError"
import * as RefusalReader from "#domain/classification/RefusalReader"
import * as SideEffectEvidence from "#domain/classification/SideEffectEvidence"
import { ownFailure } from "#domain/failure/OwnFailure"
import * as EffectHint from "#domain/failure/EffectHint"
import * as Failure from "#domain/failure/Failure"
import { type FailedOutcome, failed, type Outcome } from "#domain/call/Outcome"
import * as Enforcement from "#domain/turn/Enforcement"
import { ClassificationRules } from "#services/Policies"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { answered } from "#pipeline/answer/ClassifiedFailure"
import * as ClassifiedFailure from "#pipeline/answer/ClassifiedFailure"
import * as SuccessOfAnswer from "#pipeline/answer/SuccessOfAnswer"
import * as UnenforcedAnswer from "#pipeline/answer/UnenforcedAnswer"
import { ofAnswer } from "#pipeline/answer/SideEffectOfAnswer"
import { type Answer, stated } from "#pipeline/call/Answer"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { withoutSlot } from "#pipeline/call/DrainedCall"
import { policyOf } from "#pipeline/call/GuardPolicies"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import { changed, refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const classify: Stage = {
  name: "classify",
  question: "what kind of failure is it",
  make: Effect.succeed((tool) => (next) => (call) => {
    const judged = call.outcome ?? outcomeOf(tool, call)
    const isAdvised = judged._tag === "Failure" && Enforcement.modeOf(tool.definition.enforce, call.turn) === "advise"
    const outcome = (isAdvised ? UnenforcedAnswer.of(tool, call, judged) : undefined) ?? judged
    if (call.answer?._tag !== "Busy") note(call, outcome)
    return next({ ...call, outcome })
  })
}

/** Records in the trace how the attempt ended, and notifies the observer. */
const note = ({ attempt, callId, name, trace }: Call.Call, outcome: Outcome): void => {
  const last = trace.attempts.length - 1
  const record = trace.attempts[last]
  if (record === undefined) return
  const failure = outcome._tag === "Failure" ? outcome.failure : undefined
  if (failure !== undefined) trace.attempts[last] = { ...record, outcome: failure._tag, code: failure.code }
  trace.observe?.({
    _tag: "AttemptEnded",
    callId,
    tool: name,
    attempt,
    outcome: failure?._tag ?? "Success",
    code: failure?.code,
    durationMillis: record.durationMillis
  })
}

const outcomeOf = (tool: CompiledTool, call: Call.Call): Outcome => {
  const { answer } = call
  if (answer === undefined) return refuse(call, "tool_failed", { detail: "The handler was not run." })
  switch (answer._tag) {
    case "Value":
    case "Text":
      return judged(tool, call, answer)
    case "Response": {
      const response = { status: answer.status, headers: answer.headers, body: answer.text }
      const classified = byRules(tool, call, (options) => classifyResponse(response, options))
      return classified === undefined
        ? judged(tool, call, answer)
        : ClassifiedFailure.of(call, noted(tool, call, classified), undefined)
    }
    default:
      return broken(tool, call, answer)
  }
}

const effectOf = (tool: CompiledTool, otherwise: Failure.SideEffect): Failure.SideEffect =>
  tool.definition.access === "read" ? "none" : otherwise

const judged = (tool: CompiledTool, call: Call.Call, answer: Answer): Outcome => {
  const { verdict } = call
  if (verdict._tag === "Ok") return SuccessOfAnswer.of(tool, call, answer)
  if (verdict._tag === "Garbage" && verdict.statedFailure !== undefined) {
    return broken(tool, call, stated(verdict.statedFailure, answer))
  }
  const sideEffect = ofAnswer(tool.definition.access, answer)
  const shared = { tool: call.name, sideEffect, traceId: call.traceId }
  switch (verdict._tag) {
    case "Garbage":
      return answered(
        failed(
          Failure.make("SemanticGarbage", verdict.code, {
            ...shared,
            detail: verdict.detail,
            hint: verdict.hint ?? "Do not rely on this result. Change the arguments, use another tool or tell the user."
          })
        )
      )
    case "Partial":
      return withParts(
        answered(
          failed(
            Failure.make("PartialData", verdict.code ?? "incomplete_result", {
              ...shared,
              detail: EffectHint.detailOfPart(call.name, sideEffect, verdict.detail),
              hint:
                verdict.next === undefined
                  ? (EffectHint.ofPart(sideEffect) ?? verdict.narrow)
                  : "Keep this part. Call again with `next` for the rest, if you need it.",
              data: call.result,
              next: verdict.next === undefined ? undefined : Call.continuation(call, verdict.next)
            })
          )
        ),
        call
      )
  }
}

/** Returns the outcome with the parts that the handler returned alongside its answer. */
const withParts = (outcome: FailedOutcome, { parts }: Call.Call): FailedOutcome =>
  parts === undefined ? outcome : { ...outcome, parts }

/** Classifies by the user's rules, then by the table. If a rule throws, only the table is used. */
const byRules = <A>(tool: CompiledTool, call: Call.Call, decide: (options: Options) => A): A => {
  const { access } = tool.definition
  const options = { access, tool: call.name, arguments: call.arguments, now: Call.now(call) }
  const rules = policyOf(call, ClassificationRules)
  if (rules.length === 0) return decide(options)
  try {
    return decide({ ...options, rules })
  } catch (error) {
    Crash.note(call, "classify", "a rule of `ClassificationRules`", error)
    return decide(options)
  }
}

/** Records the side effect of a failed write, and what proves it. */
const noted = ({ definition }: CompiledTool, call: Call.Call, classified: ErrorClassification): ErrorClassification => {
  const { ground, sideEffect } = classified
  if (definition.access !== "read") Call.decide(call, "classify", `side effect ${sideEffect}`, ground)
  return classified
}

const broken = (
  tool: CompiledTool,
  call: Call.Call,
  answer: Extract<Answer, { readonly _tag: "TooLarge" | "TimedOut" | "Stated" | "Busy" | "Failed" }>
): Outcome => {
  const { attemptMillis, deadlineMillis, name } = tool.definition
  switch (answer._tag) {
    case "TooLarge":
      return answered(
        refuse(call, "response_too_large", {
          detail: `The answer of ${name} is larger than ${answer.limit} bytes.`,
          sideEffect: effectOf(tool, "unknown")
        })
      )
    case "TimedOut":
      return refuse(call, "timeout", {
        detail: `${name} did not answer within ${inMillis(answer.millis)}${
          answer.millis < attemptMillis ? `, the rest of its deadline of ${inMillis(deadlineMillis)}` : ""
        }.`,
        sideEffect: effectOf(tool, "unknown")
      })
    case "Stated": {
      const error = withHeaders(answer)
      const classified = byRules(tool, call, (options) => classifyError(error, options))
      const sideEffect = effectOf(tool, "unknown")
      return ClassifiedFailure.of(call, { ...classified, sideEffect, isAnswered: true }, answer.error)
    }
    case "Busy":
      return withoutSlot(call, answer)
    case "Failed":
      return ofCause(tool, call, answer.cause)
  }
}

/** Returns the stated error with the headers of its response, whose Retry-After applies to it. */
const withHeaders = ({ error, headers }: Extract<Answer, { readonly _tag: "Stated" }>): unknown => {
  if (headers === undefined) return error
  if (!(error instanceof QuotedError)) return { headers, body: error }
  const Class = error instanceof StatedError ? StatedError : QuotedError
  return new Class(error.message, { headers, body: error.evidence })
}

const inMillis = (millis: number): string => `${Math.round(millis)} ms`

/**
 * Decides the outcome of a handler's failure by its cause: a refusal that the tool declares, or a classified failure.
 *
 * The class and the detail come from the first error, or from a crash. The side effect is the most severe of all
 * failures in the cause, because concurrent parts and finalizers may have failed together.
 */
export const ofCause = (tool: CompiledTool, call: Call.Call, cause: Cause.Cause<unknown>): FailedOutcome => {
  const { name, refusals } = tool.definition
  const refusal = refusals.length === 0 ? undefined : RefusalReader.read(refusals, cause)
  if (refusal !== undefined) return refused(call, refusal)
  const error = Cause.squash(cause)
  const classify = (error: unknown) => byRules(tool, call, (options) => classifyError(error, options))
  if (Cause.hasDies(cause) || !Cause.hasFails(cause)) {
    const isCrash = Cause.hasDies(cause)
    if (isCrash) {
      Call.decide(call, "classify", "defect", "the handler died")
      call.trace.crash = cause
    }
    const evidence = SideEffectEvidence.readCause(cause, call.name, classify)
    const sideEffect = effectOf(tool, evidence.sideEffect)
    const outcome = refuse(call, "tool_crashed", {
      detail: isCrash ? `${name} crashed.` : `${name} interrupted itself.`,
      hint: EffectHint.ofDone("tool_crashed", sideEffect),
      sideEffect,
      cause: error
    })
    return evidence.isAnswered ? answered(outcome) : outcome
  }
  const classified = withOthers(tool, cause, classify(error), classify)
  const isRefused = classified.ground === SideEffectEvidence.noEvidence && RefusalReader.isEnclosed(refusals, cause)
  const proven = isRefused ? { ...classified, sideEffect: "none" as const, ground: "a declared refusal" } : classified
  noted(tool, call, proven)
  // such as a TypeError in a rejected promise: no handler dies, but the code refers to the logs
  if (proven.code === "tool_crashed") call.trace.crash = cause
  const own = ownFailure(error)
  if (classified.rule !== "own" || !isCallFailure(own)) return ClassifiedFailure.of(call, proven, error)
  if (SideEffectEvidence.isOthersDone(own, classified.sideEffect))
    return ClassifiedFailure.of(call, { ...classified, code: "tool_failed", tag: "Permanent" }, error)
  const outcome = failed(changed(own, { tool: call.name, traceId: call.traceId, sideEffect: classified.sideEffect }))
  if (Failure.isRefusal(outcome.failure)) return { ...outcome, isRefund: true } // of another guard, such as a served API
  return classified.isAnswered ? answered(outcome) : outcome
}

/** Adds the evidence of all failures of a handler to the classification of the first. */
const withOthers = (
  { definition }: CompiledTool,
  cause: Cause.Cause<unknown>,
  first: ErrorClassification,
  classify: (error: unknown) => ErrorClassification
): ErrorClassification => {
  if (cause.reasons.length < 2 || definition.access === "read") return first
  const { ground, isAnswered, sideEffect } = SideEffectEvidence.readCause(cause, definition.name, classify)
  return { ...first, ground, isAnswered, sideEffect }
}

/** Returns the outcome of a declared refusal [3.5]: nothing was done, and the attempt costs no budget. */
const refused = (
  call: Call.Call,
  { declared, error, json, sentence }: RefusalReader.RecognisedRefusal
): FailedOutcome => {
  Call.decide(call, "classify", "refused", `the tool declares ${declared.tag}`)
  const failure = Failure.make(declared.failureClass, declared.code, {
    tool: call.name,
    detail: sentence,
    hint: declared.hint,
    sideEffect: "none",
    traceId: call.traceId,
    cause: error,
    refusal: json
  })
  return { ...failed(failure), isRefund: true }
}

/** True for the six failures with which a handler may fail. The other two describe results. */
const isCallFailure = (error: unknown): error is Failure.CallFailure =>
  Failure.isFailure(error) && error._tag !== "PartialData" && error._tag !== "SemanticGarbage"
