/**
 * Holds the conversations of a file that are still open because they span several lines, by key, in order of last use.
 *
 * Memory is bounded: a window holds at most `maxOpen` conversations and `maxText` characters of their texts. Beyond
 * either limit the window closes the least recently used conversation. Later lines with the key of a closed
 * conversation start a separate conversation, which is reported (`split`).
 */
import type { Place, Skipped } from "./Conversation.ts"
import { quoted } from "./Draft.ts"

/** The open conversations of a file. */
interface Window<A> {
  /** Returns the open value of a key, and marks it as used. */
  readonly get: (key: string) => A | undefined
  /** Opens a value for a key that has no open value. Returns true if an earlier value of the key was closed by the limits. */
  readonly open: (key: string, value: A) => boolean
  /** Adds to the number of characters that a key holds. */
  readonly grow: (key: string, characters: number) => void
  /** Closes and returns the values that exceed the limits, the least recently used first. */
  readonly overflow: () => ReadonlyArray<A>
  /** Closes and returns all values, in the order in which they were opened. */
  readonly all: () => ReadonlyArray<A>
}

/** The maximum number of conversations that are open at a time. */
export const maxOpen = 4_096

/** The maximum number of characters in the texts of all open conversations. */
export const maxText = 64_000_000

/**
 * The maximum number of keys that are remembered as closed by the limits. When the number is reached, all keys are
 * dropped.
 */
const maxClosedEarly = 100_000

/** Reports that a conversation continues as a separate one. */
export const split = (id: string, place: Place): Skipped => ({
  _tag: "Skipped",
  place,
  reason: `The conversation ${quoted(id)} continues here as a separate one: the open conversations exceeded a limit.`
})

interface Entry<A> {
  readonly value: A
  readonly number: number
  characters: number
}

/** The number of levels of a value that `sizeOf` counts. */
const countedLevels = 6

/** Returns the approximate number of characters of a value. Values below `levels` levels are not counted. */
export const sizeOf = (value: unknown, levels = countedLevels): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || levels === 0) return 1
  let characters = 10
  for (const inner of Object.values(value)) characters += sizeOf(inner, levels - 1)
  return characters
}

/** Creates an empty window for a number of conversations. */
export const make = <A>(limit = maxOpen): Window<A> => {
  const entries = new Map<string, Entry<A>>()
  const closedEarly = new Set<string>()
  let characters = 0
  let opened = 0
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    open: (key, value) => {
      entries.set(key, { value, number: (opened += 1), characters: 0 })
      return closedEarly.has(key)
    },
    grow: (key, more) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      entry.characters += more
      characters += more
    },
    overflow: () => {
      if (entries.size <= limit && characters <= maxText) return []
      const closed: Array<A> = []
      for (const [key, entry] of entries) {
        if (entries.size <= limit && characters <= maxText) break
        entries.delete(key)
        if (closedEarly.size >= maxClosedEarly) closedEarly.clear()
        closedEarly.add(key)
        characters -= entry.characters
        closed.push(entry.value)
      }
      return closed
    },
    all: () => {
      const closed = [...entries.values()].sort((one, other) => one.number - other.number).map(({ value }) => value)
      entries.clear()
      characters = 0
      return closed
    }
  }
}
