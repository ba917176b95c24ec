/**
 * [10.1, 10.2] Notifies a person of failures that the policy names, and marks the outcome with the level of the policy.
 *
 * It also informs a person about a tool whose schemas seem too strict [15.1].
 *
 * Each incident has one notice. The loop of a run asks about a failure at the level `confirm` or `block` itself, so this
 * stage does not report it too. A declared refusal [3.5] is not an incident and is not reported.
 *
 * [10.5] An unknown outcome has at least the level `inform`, even if the call was interrupted. A call with a journal is
 * not reported when it is interrupted: the resumed run settles it.
 */
import * as Incident from "#domain/approval/Incident"
import { type Failure, isRefusal } from "#domain/failure/Failure"
import type { FailedOutcome, Outcome } from "#domain/call/Outcome"
import { type Level, strictest, unknownOutcome } from "#domain/tool/EscalationPolicy"
import { answeredAs } from "#domain/tool/ToolDefinition"
import { key as turnKey, ownerValues } from "#domain/turn/Turn"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"
import * as ContractAlarm from "#pipeline/record/ContractAlarm"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import { interrupted } from "#pipeline/call/Refusal"
import * as FailureSentence from "#pipeline/call/FailureSentence"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import * as UnknownCall from "#pipeline/call/UnknownCall"
import type { Stage } from "#pipeline/call/Stage"

export const escalate: Stage<Escalation | Redactor | UnknownOutcomes> = {
  name: "escalate",
  question: "must a person be informed",
  make: Effect.gen(function* () {
    const escalation = yield* Escalation
    const redactor = yield* Redactor
    const outcomes = yield* UnknownOutcomes
    const alarm = yield* ContractAlarm.make
    return (tool) => (next) => {
      const { access, critical, id, isRemote, name } = tool.definition
      const answered = answeredAs(tool.definition)
      const levelOfFailure = (call: Call.Call, { _tag, code }: Failure): Level =>
        Crash.askPolicy(call, "escalate", policyOf(call, EscalationPolicy), {
          _tag: "CallFailed",
          tool: name,
          access: answered,
          critical,
          ...(isRemote ? { isRemote } : {}),
          failure: _tag,
          code,
          attempts: call.trace.attempts.length,
          defect: call.trace.decisions.some(({ decision }) => decision === "defect")
        }).level
      /** Returns the level of a failure. An unknown outcome has at least the level of the original failure. */
      const levelOf = (call: Call.Call, { failure, original }: FailedOutcome): Level => {
        const level = levelOfFailure(call, failure)
        const ofOriginal = original === undefined ? level : strictest(level, levelOfFailure(call, original))
        return failure.code === unknownOutcome ? strictest(ofOriginal, "inform") : ofOriginal
      }
      const report = (call: Call.Call, level: Level, outcome: FailedOutcome): Effect.Effect<void> => {
        const { failure } = outcome
        Call.decide(call, "escalate", level, failure.code)
        if (call.trace.isLeftOpen || isAskedByLoop(call, level, failure)) return Effect.void
        const tool = failure.tool === name ? id : failure.tool
        const place = { isInRun: call.loopAsks, isOpen: call.journal !== undefined }
        return SafeEscalation.inform(escalation, {
          level,
          reason: failure.code,
          tool,
          sentence: FailureSentence.of(redactor, tool, call, outcome),
          guidance:
            failure.code === unknownOutcome
              ? Incident.unknown(call.trace.unknownOutcome, place)
              : Incident.continued({ tool, failure }, strictest(level, "confirm") === level),
          arguments: undefined,
          binding: JSON.stringify([
            call.turn === undefined ? call.traceId : turnKey(call.turn),
            failure.tool,
            failure.code
          ]),
          turn: call.turn,
          traceId: call.traceId,
          ...SafeEscalation.namesOf(call),
          ...(call.trace.unknownOutcome === "" ? {} : { outcomeId: call.trace.unknownOutcome })
        })
      }
      /** Stores a call that was started before its tool was changed: no inner stage has read its arguments. */
      const store = (call: Call.Call, outcome: FailedOutcome): Effect.Effect<void> => {
        const owner = call.turn ?? { conversation: call.traceId, tenant: "default", turn: "" }
        const binding = JSON.stringify(["changed", ...ownerValues(owner), call.callId])
        return Effect.catchCause(
          Effect.map(
            Effect.suspend(() =>
              outcomes.add(UnknownCall.describe(call, outcome, redactor, { args: call.input, binding }))
            ),
            ({ id }) => void (call.trace.unknownOutcome = id)
          ),
          (cause) => Effect.logError(`An unknown outcome of ${call.name} could not be stored (${call.traceId})`, cause)
        )
      }
      const ended = (call: Call.Call, outcome: Outcome): Effect.Effect<Outcome> => {
        if (outcome._tag === "Success" || outcome.recalled === true || isReported(outcome, call)) {
          return Effect.succeed(outcome)
        }
        if (isRefusal(outcome.failure)) return Effect.succeed(outcome)
        const level = levelOf(call, outcome)
        if (level === "auto") return Effect.succeed(outcome)
        const reported = Effect.suspend(() => report(call, level, outcome))
        return Effect.as(isOfChangedTool(call) ? Effect.andThen(store(call, outcome), reported) : reported, {
          ...outcome,
          level
        })
      }
      const cut = (call: Call.Call): Effect.Effect<void> => {
        const outcome = interrupted(call)
        return outcome.failure.code === unknownOutcome && call.journal === undefined
          ? // detached: a notice must not delay the interruption
            Effect.asVoid(Effect.forkDetach(report(call, levelOf(call, outcome), outcome), { startImmediately: true }))
          : Effect.void
      }
      const completed = (call: Call.Call) =>
        Effect.flatMap(next(call), (outcome) => {
          const notice = alarm(call, outcome)
          return notice === undefined ? ended(call, outcome) : Effect.andThen(notice, ended(call, outcome))
        })
      if (access === "read") return completed
      return (call) => Effect.onExitIf(completed(call), isInterrupted, () => cut(call))
    }
  })
}

/** True if the call may have been started before its tool was changed. */
const isOfChangedTool = ({ trace }: Call.Call): boolean =>
  trace.decisions.some(({ decision, stage }) => stage === "locate" && decision === "unknown")

/** True if a fallback's call, or the identical read that ran at the same time, reports this failure. */
const isReported = ({ level, usedFallback }: FailedOutcome, { trace }: Call.Call): boolean =>
  trace.isShared || (usedFallback !== undefined && level !== undefined)

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)

/**
 * True if the loop of the call asks a person about the failure. It does not ask about a HumanReview failure, which ends
 * the run, or about a fallback that did nothing, because the guard then tries the next fallback.
 */
const isAskedByLoop = ({ loopAsks, purpose }: Call.Call, level: Level, { _tag, sideEffect }: Failure): boolean =>
  loopAsks &&
  strictest(level, "confirm") === level &&
  _tag !== "HumanReview" &&
  (purpose === "request" || sideEffect !== "none")
