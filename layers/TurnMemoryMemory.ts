/** What turns and conversations remember, in this process. For single processes and tests. */
import * as LoopDetector from "#domain/LoopDetector"
import * as Turn from "#domain/Turn"
import * as TurnHistory from "#domain/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as PerTurn from "./PerTurn.ts"

/** Most characters of a conversation that are held to find ids in. */
const seenLimit = 1_000_000

export const layer: Layer.Layer<TurnMemory> = Layer.sync(TurnMemory, () => {
  const histories = PerTurn.make(Turn.key, () => Ref.makeUnsafe(TurnHistory.empty))
  const loops = PerTurn.make(Turn.conversationKey, () => Ref.makeUnsafe(LoopDetector.initial), 1_000)
  const texts = PerTurn.make(Turn.conversationKey, () => ({ seen: [] as Array<string>, length: 0 }), 100)
  return {
    modifyTurn: (turn, f) => Ref.modify(histories.get(turn), f),
    modifyLoop: (turn, f) => Ref.modify(loops.get(turn), f),
    endTurn: (turn) => Effect.sync(() => histories.end(turn)),
    saw: (turn, text) =>
      Effect.sync(() => {
        const held = texts.get(turn)
        held.seen.push(text.slice(-seenLimit))
        held.length += Math.min(text.length, seenLimit)
        while (held.length > seenLimit && held.seen.length > 1) held.length -= held.seen.shift()?.length ?? 0
      }),
    hasSeen: (turn, value) => Effect.sync(() => texts.get(turn).seen.some((text) => text.includes(value)))
  }
})
