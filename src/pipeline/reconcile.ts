/** [3.3] Asks another tool whether the effect happened, where the outcome of a write is unknown. */
import { success } from "#domain/Outcome"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Call from "./Call.ts"
import { changed } from "./Refusal.ts"
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
        dispatch(declared.tool, declared.arguments(call.arguments, call.idempotencyKey), call, "lookup")
      )
      const looked = Effect.map(lookup, (answer) =>
        answer._tag === "Success"
          ? declared.found(answer.value, call.arguments)
          : `${declared.tool.toolName} failed: ${answer.failure.code}`
      )
      return Effect.flatMap(
        Effect.catchDefect(looked, () => Effect.succeed("the tool's reconcile failed")),
        (found) => {
          if (typeof found === "string") {
            Call.decide(call, "reconcile", "unknown", found)
            return next(call)
          }
          if (Option.isSome(found)) {
            Call.decide(call, "reconcile", "committed", `${declared.tool.toolName} found the effect`)
            return next({ ...call, outcome: success(found.value) })
          }
          if (call.trace.running > 0) {
            Call.decide(call, "reconcile", "unknown", "nothing was found yet, but the handler has not ended")
            return next(call)
          }
          Call.decide(call, "reconcile", "absent", `${declared.tool.toolName} found no effect`)
          // nothing was done: the failure may be tried again, or answered by an alternative, like any other
          return next({ ...call, outcome: { ...outcome, failure: changed(failure, { sideEffect: "none" }) } })
        }
      )
    }
  })
}
