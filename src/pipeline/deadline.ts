/** [4.9] Sets when all attempts and waits of the call must be over. What waited before (a person) does not count. */
import * as Effect from "effect/Effect"
import { now } from "./Call.ts"
import type { Stage } from "./Stage.ts"

export const deadline: Stage = {
  name: "deadline",
  make: Effect.succeed((tool) => (next) => {
    const { deadlineMillis } = tool.definition
    return (call) => {
      const startedAt = now(call)
      return next({ ...call, startedAt, deadlineAt: startedAt + deadlineMillis })
    }
  })
}
