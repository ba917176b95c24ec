/**
 * An immutable map of the latest entries. It keeps the latest `size` entries, and at most twice as many.
 *
 * The map bounds the state of a turn: a hundred thousand calls need no more memory than ten thousand calls.
 * Entries are in two generations. When the young generation is full, it replaces the old one, which is dropped. Long
 * keys are shortened to their beginning, length and hash.
 */
import * as HashMap from "effect/HashMap"
import * as LoopLog from "#domain/loop/LoopLog"

/** The two generations of entries. */
export interface RecentEntries<A> {
  readonly young: HashMap.HashMap<string, A>
  readonly old: HashMap.HashMap<string, A>
}

/** The number of latest entries that are never dropped. */
export const size = 5_000

const nothing: RecentEntries<never> = { young: HashMap.empty(), old: HashMap.empty() }

/** Returns an empty map. */
export const empty = <A>(): RecentEntries<A> => nothing

/** Returns the value of a key, if it is present. */
export const get = <A>(map: RecentEntries<A>, key: string): A | undefined => {
  if (isEmpty(map)) return undefined // the usual case; avoids hashing the key
  const short = LoopLog.keyOf(key)
  const found = HashMap.get(map.young, short)
  if (found._tag === "Some") return found.value
  const before = HashMap.get(map.old, short)
  return before._tag === "Some" ? before.value : undefined
}

/** Writes an entry. */
export const set = <A>({ old, young }: RecentEntries<A>, key: string, value: A): RecentEntries<A> => {
  const short = LoopLog.keyOf(key)
  return HashMap.size(young) < size || HashMap.has(young, short)
    ? { old, young: HashMap.set(young, short, value) }
    : { old: young, young: HashMap.make([short, value]) }
}

/** Removes an entry. */
export const remove = <A>(map: RecentEntries<A>, key: string): RecentEntries<A> => {
  if (get(map, key) === undefined) return map
  const short = LoopLog.keyOf(key)
  return { young: HashMap.remove(map.young, short), old: HashMap.remove(map.old, short) }
}

/** Returns the map with only the entries whose values pass. */
export const filter = <A>(map: RecentEntries<A>, passes: (value: A) => boolean): RecentEntries<A> => ({
  young: HashMap.filter(map.young, passes),
  old: HashMap.size(map.old) === 0 ? map.old : HashMap.filter(map.old, passes)
})

/** True if the map has no entries. */
export const isEmpty = ({ old, young }: RecentEntries<unknown>): boolean =>
  HashMap.size(young) === 0 && HashMap.size(old) === 0
