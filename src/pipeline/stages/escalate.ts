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
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import { interrupted } from "#pipeline/call/Refusal"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import type { Stage } from "#pipeline/call/Stage"

export const escalate: Stage<Escalation | Redactor> = {
  name: "escalate",
  question: "must a person be informed",
  make: Effect.gen(function* () {
    const escalation = yield* Escalation
    const redactor = yield* Redactor
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
      const ended = (call: Call.Call, outcome: Outcome): Effect.Effect<Outcome> => {
        if (outcome._tag === "Success" || outcome.recalled === true || isReported(outcome)) {
          return Effect.succeed(outcome)
        }
        if (isRefusal(outcome.failure)) return Effect.succeed(outcome)
        const level = levelOf(call, outcome)
        return level === "auto"
          ? Effect.succeed(outcome)
          : Effect.as(report(call, level, outcome), { ...outcome, level })
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
