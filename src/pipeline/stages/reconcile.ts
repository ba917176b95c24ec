/** [3.3] Asks another tool whether the effect happened, if the outcome of a write is unknown. */
import { success } from "#domain/call/Outcome"
import * as Effect from "effect/Effect"
import * as Call from "#pipeline/call/Call"
import * as Lookup from "#pipeline/call/Lookup"
import { changed } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const reconcile: Stage = {
  name: "reconcile",
  question: "was the action done after all",
  make: Effect.succeed((tool, dispatch) => (next) => {
    const { reconcile: declared } = tool.definition
    if (declared === undefined) return next
    const { toolName } = declared.tool
    return (call) => {
      const { doubt, outcome } = call
      if (outcome?._tag !== "Failure") return next(call)
      const { failure } = outcome
      // an attempt that did nothing proves nothing about an earlier attempt
      if (failure.sideEffect === "committed" || (failure.sideEffect === "none" && doubt === undefined))
        return next(call)
      return Effect.flatMap(Lookup.lookUp(call, declared, dispatch), (lookedUp) => {
        switch (lookedUp._tag) {
          case "Unknown":
            Call.decide(call, "reconcile", "unknown", lookedUp.reason)
            return next(call)
          case "Found":
            Call.decide(call, "reconcile", "committed", `${toolName} found the effect`)
            return next({ ...call, outcome: success(lookedUp.value) })
          case "Absent":
            if (call.trace.running > 0 || doubt?.isRunning() === true) {
              Call.decide(call, "reconcile", "unknown", "nothing was found yet, but the handler has not ended")
              return next(call)
            }
            Call.decide(call, "reconcile", "absent", `${toolName} found no effect`)
            // nothing was done, so the call may be retried, or a fallback may run, as after any other failure
            return next({
              ...call,
              outcome: { ...outcome, failure: changed(failure, { sideEffect: "none" }), isAbsent: true }
            })
        }
      })
    }
  })
}
