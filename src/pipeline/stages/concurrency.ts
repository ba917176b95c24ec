/** [4.9] Gives the attempt the slots of its tool; the handler starts when one is free. */
import * as Effect from "effect/Effect"
import * as Slots from "#pipeline/call/Slots"
import type { Stage } from "#pipeline/call/Stage"

export const concurrency: Stage = {
  name: "concurrency",
  make: Effect.succeed((tool) => (next) => {
    const slots = Slots.make(tool.definition.concurrency)
    return (call) => next({ ...call, slots })
  })
}
