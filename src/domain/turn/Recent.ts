/**
 * A persistent map that forgets: it holds the entries written last, at least `size` of them and at most twice as many.
 *
 * For what a turn remembers of its calls: a turn of a hundred thousand calls stays as small as one of ten thousand. Two
 * generations; when the young one is full it becomes the old one, and what was old is forgotten. A key that is long is
 * held as its beginning, length and hash.
 */
import * as HashMap from "effect/HashMap"
import * as LoopLog from "#domain/loop/LoopLog"

export interface Recent<A> {
  readonly young: HashMap.HashMap<string, A>
  readonly old: HashMap.HashMap<string, A>
}

/** Entries that are certain to be held. */
export const size = 5_000

const nothing: Recent<never> = { young: HashMap.empty(), old: HashMap.empty() }

/** Holds nothing. */
export const empty = <A>(): Recent<A> => nothing

/** The value of a key, where it is held. */
export const get = <A>(map: Recent<A>, key: string): A | undefined => {
  if (isEmpty(map)) return undefined // as nearly always: no key is hashed to find nothing
  const short = LoopLog.keyOf(key)
  const found = HashMap.get(map.young, short)
  if (found._tag === "Some") return found.value
  const before = HashMap.get(map.old, short)
  return before._tag === "Some" ? before.value : undefined
}

/** Writes an entry. */
export const set = <A>({ old, young }: Recent<A>, key: string, value: A): Recent<A> => {
  const short = LoopLog.keyOf(key)
  return HashMap.size(young) < size || HashMap.has(young, short)
    ? { old, young: HashMap.set(young, short, value) }
    : { old: young, young: HashMap.make([short, value]) }
}

/** Only the entries that pass. */
export const filter = <A>(map: Recent<A>, passes: (value: A) => boolean): Recent<A> => ({
  young: HashMap.filter(map.young, passes),
  old: HashMap.size(map.old) === 0 ? map.old : HashMap.filter(map.old, passes)
})

/** True where nothing is held. */
export const isEmpty = ({ old, young }: Recent<unknown>): boolean =>
  HashMap.size(young) === 0 && HashMap.size(old) === 0
