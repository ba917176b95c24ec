/** A bounded history of the latest events of a run, numbered from 1. */

/** An entry that a reader receives. */
export type Entry =
  | { readonly _tag: "Event"; readonly id: number; readonly json: string }
  /** The events with these numbers, inclusive, are no longer stored. */
  | { readonly _tag: "Missed"; readonly from: number; readonly to: number }

interface EventHistory {
  /** Returns the number of the latest event; 0 before the first. */
  readonly lastId: () => number
  /** Returns the number of the last event that `push` would drop to make room; 0 if it would drop none. */
  readonly lastDropped: (json: string) => number
  readonly push: (json: string) => void
  /** Returns the next entries after a number: at most as many as a reader takes at once. */
  readonly after: (id: number) => ReadonlyArray<Entry>
}

/** The maximum numbers of events and characters that a reader takes at once. One event may be larger. */
const maxEvents = 64
const maxCharacters = 65_536

export const make = (keepEvents: number, keepCharacters: number): EventHistory => {
  let stored: Array<{ readonly id: number; readonly json: string }> = []
  let characters = 0
  let lastId = 0

  /** Returns the number of events to drop to make room for one more. */
  const excess = (json: string): number => {
    let dropped = 0
    let remaining = characters + json.length
    while (dropped < stored.length && (stored.length - dropped >= keepEvents || remaining > keepCharacters)) {
      remaining -= stored[dropped]?.json.length ?? 0
      dropped += 1
    }
    return dropped
  }
  return {
    lastId: () => lastId,
    lastDropped: (json) => stored[excess(json) - 1]?.id ?? 0,
    push: (json) => {
      const dropped = excess(json)
      for (const entry of stored.slice(0, dropped)) characters -= entry.json.length
      if (dropped > 0) stored = stored.slice(dropped)
      lastId += 1
      stored.push({ id: lastId, json })
      characters += json.length
    },
    after: (id) => {
      const first = stored[0]?.id ?? lastId + 1
      if (id < first - 1) return [{ _tag: "Missed", from: id + 1, to: first - 1 }]
      const entries = stored.slice(id - first + 1, id - first + 1 + maxEvents)
      let sum = 0
      const end = entries.findIndex(({ json }, index) => (sum += json.length) > maxCharacters && index > 0)
      return entries.slice(0, end < 0 ? undefined : end).map((entry) => ({ _tag: "Event", ...entry }))
    }
  }
}
