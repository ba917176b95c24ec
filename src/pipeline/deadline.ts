/** [4.9] Sets when all attempts and waits of the call must be over. What waited before (a person) does not count. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"
import type { Stage } from "./Stage.ts"

/** Epoch milliseconds by the caller's clock. */
export const now = (call: Call): number => Context.get(call.context, Clock.Clock).currentTimeMillisUnsafe()

export const deadline: Stage = {
  name: "deadline",
  make: Effect.succeed((tool) => (next) => {
    const { deadlineMillis } = tool.definition
    return (call) => next({ ...call, deadlineAt: now(call) + deadlineMillis })
  })
}
