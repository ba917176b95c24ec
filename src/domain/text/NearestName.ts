/**
 * Suggests the name that was probably meant instead of a tool, parameter or enum value that does not exist.
 *
 * A candidate is near if one of these is true:
 *
 * - The names differ only in case and separators (`customerId`, `customer_id`). Such a candidate is the nearest.
 * - The names share more than half of their words, in any order (`order_search`, `search_orders`).
 * - The names differ by few typing errors: insertions, deletions, substitutions and swaps of adjacent characters, at
 *   most two errors in five characters (optimal string alignment distance).
 * - One name is a prefix of the other and has at least three characters (`ship`, `shipped`).
 *
 * Only the first 64 characters are compared, because the name comes from a model and may have any length.
 */
import { keepNames } from "./Memo.ts"

const maxLength = 64
const nearEnough = 0.6

/** A name whose words are separated by underscores, as most names are. */
const snakeCase = /^[a-z\d_]*$/

const words = keepNames((name): ReadonlyArray<string> => {
  const beginning = name.length > maxLength ? name.slice(0, maxLength) : name
  const parts = snakeCase.test(beginning)
    ? beginning.split("_")
    : beginning
        .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
  return parts.filter((word) => word !== "")
})

const stem = (word: string): string => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word)

/** Returns the characters of a text as a set of 32 bits: equal characters have the same bit. */
const charactersOf = (text: string): number => {
  let bits = 0
  for (let i = 0; i < text.length; i++) bits |= 1 << (text.charCodeAt(i) & 31)
  return bits
}

const countOf = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Returns the number of typing errors between two texts, or `limit + 1` if there are more than `limit`. */
const distance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  const [inA, inB] = [charactersOf(a), charactersOf(b)]
  // each character that only one text contains is an error
  if (countOf(inA & ~inB) > limit || countOf(inB & ~inA) > limit) return limit + 1
  let beforePrevious: Array<number> = []
  let previous: Array<number> = []
  for (let j = 0; j <= b.length; j++) previous.push(j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, beforePrevious[j - 2]! + 1)
      }
      current.push(cost)
      if (cost < least) least = cost
    }
    if (least > limit) return limit + 1
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}

/** Returns the similarity of two names, from 0 to 1. */
const similarity = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const [joinedA, joinedB] = [a.join(""), b.join("")]
  if (joinedA === "") return 0
  if (joinedA === joinedB) return 1
  const [shorter, longer] = joinedA.length < joinedB.length ? [joinedA, joinedB] : [joinedB, joinedA]
  const errors = distance(joinedA, joinedB, Math.floor(longer.length * (1 - nearEnough)))
  const beginning = shorter.length >= 3 && longer.startsWith(shorter) ? 0.6 + 0.3 * (shorter.length / longer.length) : 0
  return Math.max(1 - errors / longer.length, beginning, similarityOfWords(a, b))
}

/** Returns the similarity of names that share more than half of their words, otherwise 0. */
const similarityOfWords = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  if (a.length === 1 && b.length === 1) return stem(a[0]!) === stem(b[0]!) ? 0.95 : 0
  const stems = new Set(a.map(stem))
  const others = new Set(b.map(stem))
  const shared = [...stems].filter((word) => others.has(word)).length
  const overlap = shared / (stems.size + others.size - shared)
  return overlap > 0.5 ? 0.5 + 0.45 * overlap : 0
}

/**
 * Returns at most `max` candidates (default 1) that are near to a name, nearest first. Equally near candidates keep
 * their order.
 */
export const nearest = (name: string, candidates: Iterable<string>, max = 1): ReadonlyArray<string> => {
  const sent = words(name)
  const near: Array<{ readonly candidate: string; readonly score: number }> = []
  for (const candidate of candidates) {
    const score = similarity(sent, words(candidate))
    if (score >= nearEnough) near.push({ candidate, score })
  }
  return near
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}
