/**
 * [4.9] Says how long this attempt may take: the tool's own limit, or what is left until the deadline.
 *
 * Nothing is started after the deadline, however it was passed: by a slow store, or while the machine slept. The call's
 * claim may have lapsed by then, and another process may have taken the action over.
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
      const late = refuse(call, "timeout", { detail: `${name} was not started: its time was over before.` })
      return Effect.succeed({ ...late, isFinal: true, isRefund: true })
    }
  })
}
