/**
 * The latest calls of a conversation, for the loop detector. A search by key finds the newest call with that key.
 *
 * - The log is immutable. Appending a call copies about seventy pointers, regardless of the size of the log.
 * - Two tables hold the latest 64 to 128 calls. When the young table is full, it replaces the old table, whose calls
 *   go to `EarlierCalls`, which holds their counts.
 * - The digest of a result may be a function. The function is called at most once: when its call is seen again, or when
 *   the call leaves the tables or the log is written.
 *
 * **Gotchas**
 *
 * A digest function keeps the result that it digests in memory until it is called. Pass a string for a large result.
 */

import type { Steps } from "#domain/json/Steps"
import { maxCycles } from "#domain/tool/LoopThresholds"
import * as EarlierCalls from "./EarlierCalls.ts"
import { shorten, shortenInSteps } from "./ShortText.ts"
import type { Entry } from "./LoopEntry.ts"

export type { Entry } from "./LoopEntry.ts"

/** The digest of a result, or a function that computes it. */
export type Digest = string | (() => string)

/** Calls with the same low bits of their hash, newest first. */
interface Link {
  readonly entry: Entry
  readonly next: Link | undefined
}

/** A table of at most `generationSize` calls. */
type Generation = ReadonlyArray<Link | undefined>

/** The log. */
export interface LoopLog {
  /** The number of calls appended so far. */
  readonly size: number
  /** The latest calls, oldest first; at most `mostRecent`. */
  readonly recent: ReadonlyArray<Entry>
  readonly young: Generation
  readonly old: Generation
  readonly earlier: EarlierCalls.EarlierCalls
}

/** The number of calls that are kept in order: `maxCycles` repetitions of the longest cycle, which has four calls. */
const mostRecent = 4 * maxCycles
const generationSize = 64
const buckets = 32
const longestKey = 256
const longestDigest = 64
/** The maximum length of a digest that is kept until it is needed. A longer digest is shortened immediately. */
const longestHeld = 1_024

const emptyGeneration: Generation = Array.from({ length: buckets }, () => undefined)

/** A log without calls. */
export const empty: LoopLog = {
  size: 0,
  recent: [],
  young: emptyGeneration,
  old: emptyGeneration,
  earlier: EarlierCalls.empty
}

let lastKey = ""
let lastShort = ""

/**
 * Returns the key under which the log holds a call: a long key is shortened to its beginning, length and hash. Caches
 * the last key.
 */
export const keyOf = (key: string): string => {
  if (key === lastKey) return lastShort
  lastKey = key
  lastShort = shorten(key, longestKey)
  return lastShort
}

/** Shortens a long key in steps, so that `keyOf` returns its short form without reading the key. */
export function* remember(key: string): Steps<void> {
  const short = yield* shortenInSteps(key)
  lastKey = key
  lastShort = short
}

/** Returns a cheap hash of a key. */
export const hashOf = (key: string): number => {
  let hash = key.length
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  return hash
}

/**
 * Returns a function that computes and shortens the digest at most once, because few digests are ever compared. If the
 * computation throws, the digest is empty, which means unknown.
 */
export const digestOf = (digest: Digest): (() => string) => {
  const isLong = typeof digest === "string" && digest.length > longestHeld
  let known: Digest = isLong ? shorten(digest, longestDigest) : digest
  let isShort = isLong
  return () => {
    if (!isShort) {
      try {
        // The function keeps the whole result in memory, so its text replaces it.
        known = shorten(typeof known === "string" ? known : known(), longestDigest)
      } catch {
        known = ""
      }
      isShort = true
    }
    return known as string // a text since it was shortened
  }
}

/** True if two calls had the same result. An unknown digest equals no other. */
export const sameResult = (self: Entry, that: Pick<Entry, "digest">): boolean =>
  self.digest() !== "" && self.digest() === that.digest()

/** Returns the digest of a failure: a mark, its signature and, for PartialData, the digest of the data. */
export const ofFailure = (signature: string, data: string): string => `!${signature}${data}`

/** True if a call failed. PartialData counts as a result. */
export const isFailure = (entry: Pick<Entry, "digest">): boolean => /^!(?!PartialData )/.test(entry.digest())

const put = (generation: Generation, entry: Entry): Generation => {
  const copy = generation.slice()
  const bucket = entry.hash & (buckets - 1)
  copy[bucket] = { entry, next: copy[bucket] }
  return copy
}

/** Appends a call. */
export const append = (log: LoopLog, entry: Entry): LoopLog => {
  const isFull = log.size % generationSize === 0
  const recent = log.recent.length < mostRecent ? log.recent.slice() : log.recent.slice(1)
  recent.push(entry)
  return {
    size: log.size + 1,
    recent,
    young: put(isFull ? emptyGeneration : log.young, entry),
    old: isFull ? log.young : log.old,
    earlier: isFull ? EarlierCalls.add(log.earlier, inOrder(log.old), entry.turn) : log.earlier
  }
}

const findIn = (generation: Generation, key: string, hash: number): Entry | undefined => {
  let link = generation[hash & (buckets - 1)]
  while (link !== undefined && (link.entry.hash !== hash || link.entry.key !== key)) link = link.next
  return link?.entry
}

/** Returns the newest call with this key and hash, if the log has one. */
export const find = (log: LoopLog, key: string, hash: number): Entry | undefined =>
  findIn(log.young, key, hash) ?? findIn(log.old, key, hash) ?? EarlierCalls.find(log.earlier, key, hash)

const entriesOf = (generation: Generation): Array<Entry> => {
  const entries: Array<Entry> = []
  for (const first of generation) for (let link = first; link !== undefined; link = link.next) entries.push(link.entry)
  return entries
}

const inOrder = (...generations: ReadonlyArray<Generation>): ReadonlyArray<Entry> =>
  generations.flatMap(entriesOf).sort((self, that) => self.at - that.at)

/** Returns the calls in the tables, oldest first. */
export const entries = (log: LoopLog): ReadonlyArray<Entry> => inOrder(log.old, log.young)

/** Restores the log as it was after `size` calls, from the calls in its tables and the earlier calls. */
export const restore = (
  size: number,
  entries: ReadonlyArray<Entry>,
  earlier: EarlierCalls.EarlierCalls = EarlierCalls.empty
): LoopLog => {
  const start = Math.max(0, entries.length - (((size - 1) % generationSize) + 1))
  return {
    size,
    recent: entries.slice(-mostRecent),
    young: entries.slice(start).reduce(put, emptyGeneration),
    old: entries.slice(Math.max(0, start - generationSize), start).reduce(put, emptyGeneration),
    earlier
  }
}
