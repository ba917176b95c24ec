/** The latest events of a run, with their numbers from 1, within bounds. */

/** What a reader gets. */
export type Told =
  | { readonly _tag: "Event"; readonly id: number; readonly json: string }
  /** Events from one number up to another are not kept any more. */
  | { readonly _tag: "Missed"; readonly from: number; readonly to: number }

export interface KeptEvents {
  /** The number of the latest event; 0 where there is none. */
  readonly lastId: () => number
  /** The number up to which events make place for one more; 0 where none has to. */
  readonly displaced: (json: string) => number
  readonly push: (json: string) => void
  /** What follows a number, as much as a reader takes at once. Empty where nothing does. */
  readonly after: (id: number) => ReadonlyArray<Told>
}

/** Most events that are told at once, and most characters of theirs, but for the first: a reader that stalls holds no more. */
const most = 64
const mostCharacters = 65_536

export const make = (keepEvents: number, keepCharacters: number): KeptEvents => {
  let kept: Array<{ readonly id: number; readonly json: string }> = []
  let characters = 0
  let lastId = 0

  /** How many have to go for one more. */
  const excess = (json: string): number => {
    let gone = 0
    let left = characters + json.length
    while (gone < kept.length && (kept.length - gone >= keepEvents || left > keepCharacters)) {
      left -= kept[gone]?.json.length ?? 0
      gone += 1
    }
    return gone
  }
  return {
    lastId: () => lastId,
    displaced: (json) => kept[excess(json) - 1]?.id ?? 0,
    push: (json) => {
      const gone = excess(json)
      for (const entry of kept.slice(0, gone)) characters -= entry.json.length
      if (gone > 0) kept = kept.slice(gone)
      lastId += 1
      kept.push({ id: lastId, json })
      characters += json.length
    },
    after: (id) => {
      const first = kept[0]?.id ?? lastId + 1
      if (id < first - 1) return [{ _tag: "Missed", from: id + 1, to: first - 1 }]
      const entries = kept.slice(id - first + 1, id - first + 1 + most)
      let sum = 0
      const end = entries.findIndex(({ json }, index) => (sum += json.length) > mostCharacters && index > 0)
      return entries.slice(0, end < 0 ? undefined : end).map((entry) => ({ _tag: "Event", ...entry }))
    }
  }
}
