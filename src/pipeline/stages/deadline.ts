/** [4.9] Sets when all attempts and waits of the call must be over. An earlier wait for a person does not count. */
import * as Effect from "effect/Effect"
import { now } from "#pipeline/call/Call"
import type { Stage } from "#pipeline/call/Stage"

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
