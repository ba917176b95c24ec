/**
 * Holds the counts of at most 4,000 calls that have left the log of the loop detector. A call is held until at least
 * 1,900 others have left the log after it.
 *
 * A call is held under a hash of its key, with the digest of its result as text. Calls of an earlier turn and exempt
 * calls (`isExempt`) are not added, because they do not count.
 */
import * as HashMap from "effect/HashMap"
import type { Entry } from "./LoopEntry.ts"
import { hash53 } from "./ShortText.ts"

/** The data held for a call. */
interface EarlierCall {
  readonly tool: string
  readonly digest: string
  readonly count: number
  readonly at: number
  readonly turn: string
  /** When the call may be made again after a Transient failure, in epoch milliseconds. */
  readonly readyAt?: number
}

type Generation = HashMap.HashMap<string, EarlierCall>

/** The two generations of calls, by the hash of the key. When the young generation is full, it replaces the old one. */
export interface EarlierCalls {
  readonly young: Generation
  readonly old: Generation
}

/** The maximum number of calls in a generation. */
const generationSize = 2_000

/** No calls. */
export const empty: EarlierCalls = { young: HashMap.empty(), old: HashMap.empty() }

/** Adds the calls that leave the log, oldest first. `turn` is the turn of the latest call. */
export const add = (before: EarlierCalls, leaving: ReadonlyArray<Entry>, turn: string): EarlierCalls => {
  const counted = leaving.filter((entry) => entry.turn === turn && !entry.isExempt)
  if (counted.length === 0) return before
  const isFull = HashMap.size(before.young) + counted.length > generationSize
  const young = HashMap.mutate(isFull ? HashMap.empty<string, EarlierCall>() : before.young, (map) => {
    for (const { at, count, digest, key, readyAt, tool } of counted) {
      const call = { tool, digest: digest(), count, at, turn }
      HashMap.set(map, hash53(key), readyAt === undefined ? call : { ...call, readyAt })
    }
  })
  return { young, old: isFull ? before.young : before.old }
}

/** Returns the call with this key, if it is held. */
export const find = ({ old, young }: EarlierCalls, key: string, hash: number): Entry | undefined => {
  if (HashMap.isEmpty(young)) return undefined
  const name = hash53(key)
  const inYoung = HashMap.get(young, name)
  const found = inYoung._tag === "Some" ? inYoung : HashMap.get(old, name)
  if (found._tag === "None") return undefined
  const { digest, ...call } = found.value
  return { ...call, key, hash, digest: () => digest, isExempt: false }
}

/** A held call with the hash of its key, as JSON. */
type HeldCall = EarlierCall & { readonly key: string }

const heldOf = (generation: Generation): ReadonlyArray<HeldCall> =>
  [...generation].map(([key, call]) => ({ ...call, key })).sort((self, that) => self.at - that.at)

/** Returns the calls of the old and of the young generation, each oldest first. */
export const held = ({ old, young }: EarlierCalls): readonly [ReadonlyArray<HeldCall>, ReadonlyArray<HeldCall>] => [
  heldOf(old),
  heldOf(young)
]

/** Restores the calls of both generations. */
export const restore = (old: ReadonlyArray<HeldCall>, young: ReadonlyArray<HeldCall>): EarlierCalls => {
  const generation = (calls: ReadonlyArray<HeldCall>): Generation =>
    HashMap.fromIterable(calls.map(({ key, ...call }) => [key, call] as const))
  return { old: generation(old), young: generation(young) }
}
