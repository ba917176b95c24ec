/** [4.9] Gives the attempt the slots of its tool. The handler starts when a slot is free. */
import * as Effect from "effect/Effect"
import * as Slots from "#pipeline/call/Slots"
import type { Stage } from "#pipeline/call/Stage"

export const concurrency: Stage = {
  name: "concurrency",
  make: Effect.sync(() => {
    const pools = new Map<string, Slots.Slots>()
    return ({ definition: { concurrency }, scope }) =>
      (next) => {
        // a tool with several policies has one pool, unless they set different numbers of slots
        const key = `${concurrency} ${scope}`
        const slots = pools.get(key) ?? Slots.make(concurrency)
        pools.set(key, slots)
        return (call) => next({ ...call, slots })
      }
  })
}
