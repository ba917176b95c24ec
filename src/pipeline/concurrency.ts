/** [4.9] Hands the attempt the slots of its tool; the handler starts when one is free. */
import * as Effect from "effect/Effect"
import * as Slots from "./Slots.ts"
import type { Stage } from "./Stage.ts"

export const concurrency: Stage = {
  name: "concurrency",
  make: Effect.succeed((tool) => (next) => {
    const slots = Slots.make(tool.definition.concurrency)
    return (call) => next({ ...call, slots })
  })
}
