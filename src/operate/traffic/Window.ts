/**
 * What of a file is still open: conversations that are spread over lines, by key, the one touched last at the end.
 *
 * Holds at most `mostOpen` of them and `mostText` characters of their texts. Past that the one that was touched least
 * lately is closed; what comes for its key afterwards begins a new one. So memory is bounded, and in a file whose
 * conversations are not more than that at a time nothing is torn.
 */

export interface Window<A> {
  /** What is open under a key. Touches it. */
  readonly get: (key: string) => A | undefined
  /** Opens something under a key that has nothing open. */
  readonly open: (key: string, value: A) => void
  /** Adds characters to what a key weighs. */
  readonly grow: (key: string, characters: number) => void
  /** Closes what the bounds ask for, least lately touched first. */
  readonly overflow: () => ReadonlyArray<A>
  /** Closes everything, in the order in which it was opened. */
  readonly all: () => ReadonlyArray<A>
}

/** Most conversations that are open at a time. */
export const mostOpen = 256

/** Most characters that the texts of open conversations may have. */
export const mostText = 64_000_000

interface Entry<A> {
  readonly value: A
  readonly number: number
  characters: number
}

export const make = <A>(): Window<A> => {
  const entries = new Map<string, Entry<A>>()
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
