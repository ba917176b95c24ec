/** Halts in this process. They end with the process. */
import { type HaltEntry, type HaltOrder, orderOf } from "#domain/tool/Halt"
import { Halts } from "#services/Halts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const keptEntries = 100

export const layer: Layer.Layer<Halts> = Layer.sync(Halts, () => {
  const halts = new Map<string, HaltEntry>()
  const log: Array<HaltEntry> = []
  const add = (action: HaltEntry["action"], { by, reason, tool }: HaltOrder) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      const entry: HaltEntry = { tool, action, by, reason, at }
      log.unshift(entry)
      log.length = Math.min(log.length, keptEntries)
      return entry
    })
  return {
    isEmpty: () => halts.size === 0,
    current: Effect.succeed(halts),
    halt: (given) =>
      Effect.suspend(() =>
        Effect.tap(add("halted", orderOf(given)), (entry) => Effect.sync(() => void halts.set(entry.tool, entry)))
      ),
    resume: (given) =>
      Effect.suspend(() => {
        const order = orderOf(given)
        const halt = halts.get(order.tool)
        if (halt === undefined) return Effect.undefined
        halts.delete(order.tool)
        return Effect.as(add("resumed", order), halt)
      }),
    history: Effect.sync(() => [...log])
  }
})
