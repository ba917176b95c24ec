/**
 * What of a file is still open: conversations that are spread over lines, by key, the one touched last at the end.
 *
 * Holds at most `mostOpen` of them and `mostText` characters of their texts. Past that the one that was touched least
 * lately is closed; what comes for its key afterwards begins a new one, and is told. So memory is bounded, and in a file
 * whose conversations are not more than that at a time nothing is torn.
 */
import type { Place, Skipped } from "./Conversation.ts"
import { word } from "./Draft.ts"

export interface Window<A> {
  /** What is open under a key. Touches it. */
  readonly get: (key: string) => A | undefined
  /** Opens something under a key that has nothing open. True where the key had something before that had to be closed. */
  readonly open: (key: string, value: A) => boolean
  /** Adds characters to what a key weighs. */
  readonly grow: (key: string, characters: number) => void
  /** Closes what the bounds ask for, least lately touched first. */
  readonly overflow: () => ReadonlyArray<A>
  /** Closes everything, in the order in which it was opened. */
  readonly all: () => ReadonlyArray<A>
}

/** Most conversations that are open at a time. */
export const mostOpen = 4_096

/** Most characters that the texts of open conversations may have. */
export const mostText = 64_000_000

/** Most keys that are remembered as closed before their time; then all are forgotten. */
const mostTorn = 100_000

/** Says that a conversation goes on as another one. */
export const torn = (id: string, place: Place): Skipped => ({
  _tag: "Skipped",
  place,
  reason: `The conversation ${word(id)} goes on here as another one: more was open than is held.`
})

interface Entry<A> {
  readonly value: A
  readonly number: number
  characters: number
}

/** Levels of a value that are weighed. */
const weighed = 6

/** Characters of a value, about: of what lies deep nothing is counted. */
export const weigh = (value: unknown, levels = weighed): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || levels === 0) return 1
  let characters = 10
  for (const inner of Object.values(value)) characters += weigh(inner, levels - 1)
  return characters
}

export const make = <A>(): Window<A> => {
  const entries = new Map<string, Entry<A>>()
  const torn = new Set<string>()
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
      return torn.has(key)
    },
    grow: (key, more) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      entry.characters += more
      characters += more
    },
    overflow: () => {
      if (entries.size <= mostOpen && characters <= mostText) return []
      const closed: Array<A> = []
      for (const [key, entry] of entries) {
        if (entries.size <= mostOpen && characters <= mostText) break
        entries.delete(key)
        if (torn.size >= mostTorn) torn.clear()
        torn.add(key)
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
