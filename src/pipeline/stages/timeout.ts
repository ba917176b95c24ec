/**
 * [4.9] Limits the time of this attempt: the tool's timeout, or the time that is left until the deadline.
 *
 * No attempt starts after the deadline, even if a slow store or a sleeping machine has used up the time. The call's
 * claim may have expired by then, and another process may have taken over the action.
 */
import * as Effect from "effect/Effect"
import { now } from "#pipeline/call/Call"
import { refuse } from "#pipeline/call/Refusal"
import type { Stage } from "#pipeline/call/Stage"

export const timeout: Stage = {
  name: "timeout",
  make: Effect.succeed((tool) => (next) => {
    const { attemptMillis, name } = tool.definition
    return (call) => {
      const limitMillis = Math.min(attemptMillis, call.deadlineAt - now(call))
      if (limitMillis >= 0) return next({ ...call, limitMillis })
      const late = refuse(call, "timeout", { detail: `${name} was not started: its deadline had passed.` })
      return Effect.succeed({ ...late, isFinal: true, isRefund: true })
    }
  })
}
