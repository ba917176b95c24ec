/** [3.3] Asks another tool whether the effect happened, where the outcome of a write is unknown. */
import { success, type Outcome } from "#domain/Outcome"
import type { Failure } from "#domain/Failure"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Call from "./Call.ts"
import { failure as failureOf } from "./Refusal.ts"
import type { Stage } from "./Stage.ts"

export const reconcile: Stage = {
  name: "reconcile",
  make: Effect.succeed((tool, dispatch) => (next) => {
    const { reconcile: declared } = tool.definition
    if (declared === undefined) return next
    return (call) => {
      const { outcome } = call
      if (outcome?._tag !== "Failure" || outcome.failure.sideEffect !== "unknown") return next(call)
      const { failure } = outcome
      const lookup = Effect.suspend(() =>
        dispatch(declared.tool, declared.arguments(call.arguments, call.idempotencyKey), call)
      )
      return Effect.flatMap(lookup, (answer) => {
        if (answer._tag === "Failure") {
          Call.decide(call, "reconcile", "unknown", `${declared.tool.toolName} failed: ${answer.failure.code}`)
          return next(call)
        }
        return Option.match(declared.found(answer.value, call.arguments), {
          onNone: () => {
            Call.decide(call, "reconcile", "absent", `${declared.tool.toolName} found no effect`)
            return next({ ...call, outcome: notDone(call, failure) })
          },
          onSome: (value) => {
            Call.decide(call, "reconcile", "committed", `${declared.tool.toolName} found the effect`)
            return next({ ...call, outcome: success(value) })
          }
        })
      })
    }
  })
}

/** The effect is absent: the failure may be tried again like any other that did nothing. */
const notDone = (call: Call.Call, failure: Failure): Outcome => ({
  _tag: "Failure",
  failure:
    failure._tag === "Transient"
      ? failureOf(call, "temporary_failure", {
          detail: failure.detail,
          retryAfter: failure.retryAfter,
          cause: failure.cause
        })
      : failureOf(call, "unavailable", { detail: failure.detail, hint: "It was not done.", cause: failure.cause })
})
