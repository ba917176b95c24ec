/** [4.9] Says how long this attempt may take: the tool's own limit, or what is left until the deadline. */
import * as Effect from "effect/Effect"
import { now } from "./deadline.ts"
import type { Stage } from "./Stage.ts"

export const timeout: Stage = {
  name: "timeout",
  make: Effect.succeed((tool) => (next) => {
    const { attemptMillis, deadlineMillis } = tool.definition
    const first = Math.min(attemptMillis, deadlineMillis)
    return (call) =>
      next({
        ...call,
        limitMillis: call.attempt === 1 ? first : Math.min(attemptMillis, Math.max(0, call.deadlineAt - now(call)))
      })
  })
}
