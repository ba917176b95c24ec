/** Keeps the histories of turns and conversations in this process. */
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as Turn from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PerTurn from "#layers/internal/stores/PerTurn"

/** The maximum number of characters of a conversation that are kept to search for ids. */
const seenLimit = 1_000_000

/** Keeps at most 10,000 turns, the loops of 1,000 conversations, and the texts of 300 conversations. */
export const layer: Layer.Layer<TurnMemory> = Layer.sync(TurnMemory, () => {
  const histories = PerTurn.make(Turn.key, () => TurnHistory.empty)
  const loops = PerTurn.make(Turn.conversationKey, () => LoopDetector.initial, 1_000)
  const texts = PerTurn.make(
    Turn.conversationKey,
    (): { seen: Array<string>; length: number } => ({ seen: [], length: 0 }),
    300
  )
  return {
    isShared: false,
    modifyTurn: histories.modify,
    modifyLoop: loops.modify,
    endTurn: (turn) => Effect.sync(() => histories.end(turn)),
    saw: (turn, text) =>
      Effect.sync(() => {
        const entry = texts.get(turn)
        entry.seen.push(text.slice(-seenLimit))
        entry.length += Math.min(text.length, seenLimit)
        while (entry.length > seenLimit && entry.seen.length > 1) entry.length -= entry.seen.shift()?.length ?? 0
      }),
    hasSeen: (turn, value) => Effect.sync(() => texts.get(turn).seen.some((text) => containsWord(text, value)))
  }
})

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_-]/u.test(character)

/** Returns true if a text contains a value as a whole word, not as a part of a longer id. False for the empty value. */
const containsWord = (text: string, value: string): boolean => {
  if (value === "") return false
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + value.length])) return true
  }
  return false
}
