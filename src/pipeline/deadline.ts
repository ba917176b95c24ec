/** [4.9] Sets when all attempts and waits of the call must be over. What waited before (a person) does not count. */
import * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"
import type { Stage } from "./Stage.ts"

/** Epoch milliseconds by the caller's clock. */
export const now = (call: Call): number => call.clock.currentTimeMillisUnsafe()

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
