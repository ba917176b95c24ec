/**
 * [10.1, 10.2] Notifies a person of failures that the policy names, and marks the outcome with the level of the policy.
 */
import type { Failure } from "#domain/failure/Failure"
import type { Outcome } from "#domain/call/Outcome"
import { key as turnKey } from "#domain/turn/Turn"
import { Escalation } from "#services/Escalation"
import { EscalationPolicy } from "#services/Policies"
import { Redactor } from "#services/Redactor"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Crash from "#pipeline/call/Crash"
import { policyOf } from "#pipeline/call/GuardPolicies"
import * as SafeEscalation from "#pipeline/call/SafeEscalation"
import type { Stage } from "#pipeline/call/Stage"

export const escalate: Stage<Escalation | Redactor> = {
  name: "escalate",
  question: "must a person be informed",
  make: Effect.gen(function* () {
    const escalation = yield* Escalation
    const redactor = yield* Redactor
    return (tool) => (next) => {
      const { access, critical, name } = tool.definition
      return (call) =>
        Effect.flatMap(next(call), (outcome): Effect.Effect<Outcome> => {
          if (outcome._tag === "Success" || outcome.recalled === true) return Effect.succeed(outcome)
          const { failure } = outcome
          const { level } = Crash.askPolicy(call, "escalate", policyOf(call, EscalationPolicy), {
            _tag: "CallFailed",
            tool: name,
            access,
            critical,
            failure: failure._tag,
            code: failure.code,
            attempts: call.trace.attempts.length,
            defect: call.trace.decisions.some(({ decision }) => decision === "defect")
          })
          if (level === "auto") return Effect.succeed(outcome)
          Call.decide(call, "escalate", level, failure.code)
          const informed = SafeEscalation.inform(escalation, {
            level,
            reason: failure.code,
            tool: failure.tool,
            sentence: sentenceOf(redactor, failure),
            arguments: undefined,
            binding: JSON.stringify([
              call.turn === undefined ? call.traceId : turnKey(call.turn),
              failure.tool,
              failure.code
            ]),
            turn: call.turn,
            traceId: call.traceId,
            ...SafeEscalation.namesOf(call)
          })
          return Effect.as(informed, { ...outcome, level })
        })
    }
  })
}

/** What the person reads. If the redactor breaks, that is the code alone: the detail may hold a secret. */
const sentenceOf = (redactor: Redactor["Service"], { code, detail, tool }: Failure): string => {
  try {
    return redactor.text(detail)
  } catch {
    return `${tool} failed: ${code}.`
  }
}
