/**
 * The calls that a loop detector remembers: the latest ones of a conversation, newest found first.
 *
 * - Immutable. A call is appended by copying some forty pointers, whatever the log holds.
 * - Holds the latest 64 to 128 calls in two tables; when the young one is full it becomes the old one.
 * - The digest of a result may be a function. It is asked for when its call is seen again or the log is written down, once.
 *
 * **Gotchas**
 *
 * A digest that was never asked for keeps its result in memory. Give large results a digest that is a string.
 */

/** The digest of a result, or the way to it. */
export type Digest = string | (() => string)

/** One remembered call. */
export interface Entry {
  /** Tool and canonical arguments, shortened where they are long. */
  readonly key: string
  /** Cheap, so that most keys are told apart without being compared. */
  readonly hash: number
  readonly tool: string
  readonly digest: () => string
  /** Which of its kind this is: identical calls with the same result, this one included, since counts restarted. */
  readonly count: number
  /** Its place in the conversation, from 1. */
  readonly at: number
}

/** Calls with the same low bits of their hash, newest first. */
interface Link {
  readonly entry: Entry
  readonly next: Link | undefined
}

/** A table of at most `generationSize` calls. */
type Generation = ReadonlyArray<Link | undefined>

export interface LoopLog {
  /** Calls that were appended so far. */
  readonly size: number
  /** The latest calls, oldest first; at most `mostRecent`. */
  readonly recent: ReadonlyArray<Entry>
  readonly young: Generation
  readonly old: Generation
}

/** Calls that are certain to be held in order: as many as the longest cycle has, three times round. */
export const mostRecent = 12
const generationSize = 64
const buckets = 32
const longestKey = 256
const longestDigest = 64
/** Longest text of a result that is held until it is asked for. */
const longestHeld = 1_024

const emptyGeneration: Generation = Array.from({ length: buckets }, () => undefined)

/** A log that remembers nothing. */
export const empty: LoopLog = { size: 0, recent: [], young: emptyGeneration, old: emptyGeneration }

/** A 53-bit hash: enough to tell texts of one conversation apart, not to keep anything secret. (cyrb53) */
const hash53 = (text: string): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36)
}

const shorten = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, 32)}…${text.length}:${hash53(text)}`

let lastKey = ""
let lastShort = ""

/** The key under which a call is remembered: a long one is its beginning, length and hash. One call asks many times. */
export const keyOf = (key: string): string => {
  if (key.length <= longestKey) return key
  if (key === lastKey) return lastShort
  lastKey = key
  lastShort = shorten(key, longestKey)
  return lastShort
}

/** A cheap hash of a key. */
export const hashOf = (key: string): number => {
  let hash = key.length
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  return hash
}

/** Asks for a digest, and shortens it, at most once; most are never compared. One that throws is unknown: empty. */
export const digestOf = (digest: Digest): (() => string) => {
  if (typeof digest === "string" && (digest.length <= longestDigest || digest.length > longestHeld)) {
    const text = shorten(digest, longestDigest)
    return () => text
  }
  let known: string | undefined
  // let go once asked: it holds the whole result
  let ask: Digest = digest
  return () => {
    if (known === undefined) {
      try {
        known = shorten(typeof ask === "string" ? ask : ask(), longestDigest)
      } catch {
        known = ""
      }
      ask = known
    }
    return known
  }
}

/** Whether two calls gave the same result. An unknown digest equals none. */
export const sameResult = (self: Entry, that: Pick<Entry, "digest">): boolean =>
  self.digest() !== "" && self.digest() === that.digest()

/** The digest of a failure: a mark and what it is, and for PartialData what there is. */
export const ofFailure = (signature: string, data: string): string => `!${signature}${data}`

/** Whether a call failed. PartialData is a result. */
export const isFailure = (entry: Pick<Entry, "digest">): boolean => /^!(?!PartialData )/.test(entry.digest())

const put = (generation: Generation, entry: Entry): Generation => {
  const copy = generation.slice()
  const bucket = entry.hash & (buckets - 1)
  copy[bucket] = { entry, next: copy[bucket] }
  return copy
}

/** Appends a call. */
export const append = (log: LoopLog, entry: Entry): LoopLog => {
  const isFull = log.size > 0 && log.size % generationSize === 0
  const recent = log.recent.length < mostRecent ? log.recent.slice() : log.recent.slice(1)
  recent.push(entry)
  return {
    size: log.size + 1,
    recent,
    young: put(isFull ? emptyGeneration : log.young, entry),
    old: isFull ? log.young : log.old
  }
}

const findIn = (generation: Generation, key: string, hash: number): Entry | undefined => {
  let link = generation[hash & (buckets - 1)]
  while (link !== undefined && (link.entry.hash !== hash || link.entry.key !== key)) link = link.next
  return link?.entry
}

/** The newest call with this key. */
export const find = (log: LoopLog, key: string, hash: number): Entry | undefined =>
  findIn(log.young, key, hash) ?? findIn(log.old, key, hash)

const entriesOf = (generation: Generation): Array<Entry> => {
  const entries: Array<Entry> = []
  for (const first of generation) for (let link = first; link !== undefined; link = link.next) entries.push(link.entry)
  return entries
}

/** All remembered calls, oldest first. */
export const entries = (log: LoopLog): ReadonlyArray<Entry> =>
  [...entriesOf(log.old), ...entriesOf(log.young)].sort((self, that) => self.at - that.at)

/** The log of these calls, as it was when `size` calls had been appended. */
export const restore = (size: number, entries: ReadonlyArray<Entry>): LoopLog => {
  const start = Math.max(0, entries.length - (((size - 1) % generationSize) + 1))
  return {
    size,
    recent: entries.slice(-mostRecent),
    young: entries.slice(start).reduce(put, emptyGeneration),
    old: entries.slice(Math.max(0, start - generationSize), start).reduce(put, emptyGeneration)
  }
}
