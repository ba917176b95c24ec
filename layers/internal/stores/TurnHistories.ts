/** The histories of turns and conversations in this process. */
import * as LoopDetector from "#domain/loop/LoopDetector"
import * as Turn from "#domain/turn/Turn"
import * as TurnHistory from "#domain/turn/TurnHistory"
import type { TurnMemory } from "#services/TurnMemory"
import * as Effect from "effect/Effect"
import * as TurnStates from "./TurnStates.ts"

/** The maximum number of characters of a conversation that are kept to search for ids. */
const seenLimit = 1_000_000

/** The maximum number of characters of all conversations of a tenant. */
const tenantLimit = 10_000_000

/** The size of a conversation without texts, and the size of a text in addition to its length, in characters. */
const overhead = { conversation: 1_000, text: 50 }

/** The texts that the model saw in a conversation, oldest first. `size` is the sum of their sizes. */
interface SeenTexts {
  readonly texts: Array<string>
  size: number
}

const sizeOf = (text: string): number => text.length + overhead.text

/**
 * Creates an empty memory. It keeps, for each tenant, at most 10,000 turns, the loops of 1,000 conversations, and
 * 10,000,000 characters of texts; for all tenants together, ten times as much. Beyond a limit, the least recently used
 * turns or conversations are forgotten.
 */
export const make = (): TurnMemory["Service"] => {
  const histories = TurnStates.make({ keyOf: Turn.key, initial: () => TurnHistory.empty })
  const loops = TurnStates.make({ keyOf: Turn.conversationKey, initial: () => LoopDetector.initial, limit: 1_000 })
  const seen = TurnStates.make({
    keyOf: Turn.conversationKey,
    initial: (): SeenTexts => ({ texts: [], size: 0 }),
    limit: tenantLimit,
    weigh: ({ size }) => overhead.conversation + size
  })
  return {
    isShared: false,
    modifyTurn: histories.modify,
    modifyLoop: loops.modify,
    endTurn: (turn) => Effect.sync(() => histories.end(turn)),
    saw: (turn, text) =>
      text === ""
        ? Effect.void
        : seen.modify(turn, (conversation) => {
            const kept = copyOfEnd(text)
            conversation.texts.push(kept)
            conversation.size += sizeOf(kept)
            while (conversation.size > seenLimit && conversation.texts.length > 1) {
              conversation.size -= sizeOf(conversation.texts.shift() ?? "")
            }
            return [undefined, conversation]
          }),
    hasSeen: (turn, value) =>
      seen.modify(turn, (conversation) => [conversation.texts.some((text) => containsWord(text, value)), conversation])
  }
}

/**
 * Returns the end of a text. The end of a longer text is a copy, because a substring keeps the whole string in memory.
 */
const copyOfEnd = (text: string): string =>
  text.length <= seenLimit ? text : Buffer.from(text.slice(-seenLimit), "utf16le").toString("utf16le")

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
