/** A bounded history of the latest events of a run, numbered from 1. */

/** An entry that a reader receives. */
export type Entry =
  | { readonly _tag: "Event"; readonly id: number; readonly json: string }
  /** The events with these numbers, inclusive, are no longer stored. */
  | { readonly _tag: "Missed"; readonly from: number; readonly to: number }

interface EventHistory {
  /** The number of the latest event; 0 before the first. */
  readonly lastId: () => number
  /** The number of the last event that adding this one would drop; 0 if none. */
  readonly lastDropped: (json: string) => number
  readonly push: (json: string) => void
  /** The next entries after a number: as many as a reader takes at once. */
  readonly after: (id: number) => ReadonlyArray<Entry>
}

/** The maximum numbers of events and characters that a reader takes at once. One event may be larger. */
const maxEvents = 64
const maxCharacters = 65_536

export const make = (keepEvents: number, keepCharacters: number): EventHistory => {
  let kept: Array<{ readonly id: number; readonly json: string }> = []
  let characters = 0
  let lastId = 0

  /** The number of events to drop to make room for one more. */
  const excess = (json: string): number => {
    let dropped = 0
    let left = characters + json.length
    while (dropped < kept.length && (kept.length - dropped >= keepEvents || left > keepCharacters)) {
      left -= kept[dropped]?.json.length ?? 0
      dropped += 1
    }
    return dropped
  }
  return {
    lastId: () => lastId,
    lastDropped: (json) => kept[excess(json) - 1]?.id ?? 0,
    push: (json) => {
      const dropped = excess(json)
      for (const entry of kept.slice(0, dropped)) characters -= entry.json.length
      if (dropped > 0) kept = kept.slice(dropped)
      lastId += 1
      kept.push({ id: lastId, json })
      characters += json.length
    },
    after: (id) => {
      const first = kept[0]?.id ?? lastId + 1
      if (id < first - 1) return [{ _tag: "Missed", from: id + 1, to: first - 1 }]
      const entries = kept.slice(id - first + 1, id - first + 1 + maxEvents)
      let sum = 0
      const end = entries.findIndex(({ json }, index) => (sum += json.length) > maxCharacters && index > 0)
      return entries.slice(0, end < 0 ? undefined : end).map((entry) => ({ _tag: "Event", ...entry }))
    }
  }
}
