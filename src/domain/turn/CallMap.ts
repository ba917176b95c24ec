/**
 * Implements an immutable map by call key that never evicts an entry. A turn keeps in such maps the writes that were
 * done or may have been done.
 *
 * Once a map has `maxCalls` entries, the turn makes no further new write (`TurnHistory.begin`), so its state is bounded.
 * Long keys are shortened to their beginning, length and hash.
 */
import * as HashMap from "effect/HashMap"
import * as LoopLog from "#domain/loop/LoopLog"

/** The entries. */
export type CallMap<A> = HashMap.HashMap<string, A>

/** The number of entries at which a turn makes no further new write. */
export const maxCalls = 50_000

/** Returns an empty map. */
export const empty = <A>(): CallMap<A> => HashMap.empty()

/** Returns the value of a call, if it is present. */
export const get = <A>(map: CallMap<A>, call: string): A | undefined => {
  if (HashMap.isEmpty(map)) return undefined // the usual case; avoids hashing the key
  const found = HashMap.get(map, LoopLog.keyOf(call))
  return found._tag === "Some" ? found.value : undefined
}

/** Writes an entry. */
export const set = <A>(map: CallMap<A>, call: string, value: A): CallMap<A> =>
  HashMap.set(map, LoopLog.keyOf(call), value)

/** Removes an entry. */
export const remove = <A>(map: CallMap<A>, call: string): CallMap<A> => HashMap.remove(map, LoopLog.keyOf(call))

/** Returns the map with only the entries that pass. `passes` receives the shortened key. */
export const filter = <A>(map: CallMap<A>, passes: (value: A, call: string) => boolean): CallMap<A> =>
  HashMap.filter(map, passes)

/** True if the map has no entries. */
export const isEmpty = (map: CallMap<unknown>): boolean => HashMap.isEmpty(map)

/** True if the map has `maxCalls` entries. */
export const isFull = (map: CallMap<unknown>): boolean => HashMap.size(map) >= maxCalls
