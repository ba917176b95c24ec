/**
 * [10.1, 10.2] Notifies a person of failures that the policy names, and marks the outcome with the level of the policy.
 *
 * A declared refusal [3.5] is not an incident and is not reported.
 *
 * [10.5] An unknown outcome is always reported, at least at the level `inform`, even if the call was interrupted. A
 * call with a journal is not reported when it is interrupted: the resumed run settles it.
 */
import { type Failure, isRefusal } from "#domain/failure/Failure"
import type { Failed, Outcome } from "#domain/call/Outcome"
import { type Level, strictest, unknownOutcome } from "#domain/tool/EscalationPolicy"
import { answeredAs } from "#domain/tool/ToolDefinition"
import { key as turnKey } from "#domain/turn/Turn"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import { interrupted } from "#pipeline/call/Refusal"
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
    return (tool) => (next) => {
      const { access, critical, id, name } = tool.definition
      const answered = answeredAs(tool.definition)
      const levelOf = (call: Call.Call, { failure }: Failed): Level => {
        const { level } = Crash.askPolicy(call, "escalate", policyOf(call, EscalationPolicy), {
          _tag: "CallFailed",
          tool: name,
          access: answered,
          critical,
          failure: failure._tag,
          code: failure.code,
          attempts: call.trace.attempts.length,
          defect: call.trace.decisions.some(({ decision }) => decision === "defect")
        })
        return failure.code === unknownOutcome ? strictest(level, "inform") : level
      }
      const report = (call: Call.Call, level: Level, { failure }: Failed): Effect.Effect<void> => {
        Call.decide(call, "escalate", level, failure.code)
        return SafeEscalation.inform(escalation, {
          level,
          reason: failure.code,
          tool: failure.tool === name ? id : failure.tool,
          sentence: sentenceOf(redactor, failure),
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
      const store = (call: Call.Call, { failure }: Failed): Effect.Effect<void> => {
        const { conversation, tenant, turn } = call.turn ?? { conversation: call.traceId, tenant: "default", turn: "" }
        const binding = JSON.stringify(["changed", tenant, conversation, turn, call.callId])
        return Effect.catchCause(
          Effect.map(
            Effect.suspend(() =>
              outcomes.add(UnknownCall.describe(call, failure, redactor, { args: call.input, binding }))
            ),
            ({ id }) => void (call.trace.unknownOutcome = id)
          ),
          (cause) => Effect.logError(`An unknown outcome of ${call.name} could not be stored (${call.traceId})`, cause)
        )
      }
      const ended = (call: Call.Call, outcome: Outcome): Effect.Effect<Outcome> => {
        if (outcome._tag === "Success" || outcome.recalled === true || isReported(outcome)) {
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
      const completed = (call: Call.Call) => Effect.flatMap(next(call), (outcome) => ended(call, outcome))
      if (access === "read") return completed
      return (call) => Effect.onExitIf(completed(call), isInterrupted, () => cut(call))
    }
  })
}

/** True if the call may have been started before its tool was changed. */
const isOfChangedTool = ({ trace }: Call.Call): boolean =>
  trace.decisions.some(({ decision, stage }) => stage === "locate" && decision === "unknown")

/** True if an alternative's call has already reported this failure. */
const isReported = ({ level, usedFallback }: Failed): boolean => usedFallback !== undefined && level !== undefined

const isInterrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)

/**
 * Returns the sentence for the person. If the redactor throws, the sentence has only the code, because the detail may
 * contain a secret.
 */
const sentenceOf = (redactor: Redactor["Service"], { code, detail, tool }: Failure): string => {
  try {
    return redactor.text(detail)
  } catch {
    return `${tool} failed: ${code}.`
  }
}
