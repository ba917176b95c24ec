/**
 * Finds secrets in a text: reads it once for the keywords of all patterns, and looks closer only where one stands.
 *
 * **Details**
 *
 * - A pattern sees at most 4,096 characters from its keyword on. A token that goes on beyond what was matched is taken
 *   as a whole.
 * - Patterns that find from one place cost the same wherever it is, so the time grows with the length of the text.
 */
import * as Keywords from "./Keywords.ts"
import { entropy } from "./SecretLike.ts"
import type { SecretPattern } from "./SecretPattern.ts"

/** Where a secret stands: from the first character to behind the last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A way to find one kind of secret. */
export interface Finder {
  /** Lower-case ASCII; one of them stands at every secret of the kind. */
  readonly keywords: ReadonlyArray<string>
  /** Looks for a secret at a keyword that begins at `at` and ends before `behind`. */
  readonly find: (text: string, at: number, behind: number, isWide: boolean) => Span | undefined
}

/** Longest part of a text that a pattern sees. */
const longest = 4_096
/** The same for a pattern that is searched for around its keyword. */
const longestAround = 512

const isTokenUnit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  unit === 0x5f ||
  unit === 0x2d

const extended = (text: string, start: number, end: number): Span => {
  let last = end
  if (isTokenUnit(text.charCodeAt(end - 1))) while (last < text.length && isTokenUnit(text.charCodeAt(last))) last += 1
  return { start, end: last }
}

/** Makes a finder of a pattern. Throws a SyntaxError where the pattern is none. */
export const ofPattern = (pattern: SecretPattern): Finder => {
  const { before, begins } = pattern
  const isAround = begins === "before"
  const reach = isAround ? longestAround : longest
  const hasGroup = (new RegExp(`${pattern.pattern}|`).exec("")?.length ?? 1) > 1
  // behind what may stand before it, a match is a group too
  const source = isAround ? `[^]{0,${before}}?(${pattern.pattern})` : pattern.pattern
  const secretGroup = (isAround ? 1 : 0) + (hasGroup ? 1 : 0)
  const expression = new RegExp(source, secretGroup === 0 ? "y" : "dy")
  return {
    keywords: pattern.keywords,
    find: (text, at, behind, isWide) => {
      if (pattern.onlyFailures === true && !isWide) return undefined
      const from = begins === "behind" ? behind : Math.max(0, at - before)
      // some characters before, for what a match must or must not follow
      const offset = text.length <= reach ? 0 : Math.max(0, from - 16)
      const part = text.length <= reach ? text : text.slice(offset, from + reach)
      expression.lastIndex = from - offset
      const match = expression.exec(part)
      if (match === null) return undefined
      const whole = match.indices?.[isAround ? 1 : 0] ?? [match.index, match.index + match[0].length]
      if (isAround && whole[0] + offset > at) return undefined
      const [first, last] = match.indices?.[secretGroup] ?? whole
      const secret = part.slice(first, last)
      if (pattern.entropy > 0 && entropy(secret) < pattern.entropy) return undefined
      return extended(text, first + offset, last + offset)
    }
  }
}

/** Finders that are looked for together. */
export interface Finders {
  readonly keywords: Keywords.Keywords
  readonly byWord: ReadonlyArray<ReadonlyArray<Finder>>
}

/** Puts finders together; takes some milliseconds, once. */
export const combine = (finders: ReadonlyArray<Finder>): Finders => {
  const byWord = new Map<string, Array<Finder>>()
  for (const finder of finders) {
    for (const word of finder.keywords) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [finder])
      else known.push(finder)
    }
  }
  return { keywords: Keywords.make([...byWord.keys()]), byWord: [...byWord.values()] }
}

/** No secret is shorter, with the word that gives it away. */
const shortest = 8

const none: ReadonlyArray<Span> = []

/** The secrets of a text, in order, none within another. `isWide`: as a failure's text is judged. */
export const findAll = (finders: Finders, text: string, isWide: boolean): ReadonlyArray<Span> =>
  text.length < shortest || !Keywords.mentions(finders.keywords, text) ? none : search(finders, text, isWide)

/** Whether a text of a result holds a secret. */
export const finds = (finders: Finders, text: string): boolean =>
  text.length >= shortest && Keywords.mentions(finders.keywords, text) && search(finders, text, false) !== none

const search = ({ byWord, keywords }: Finders, text: string, isWide: boolean): ReadonlyArray<Span> => {
  let spans: Array<Span> | undefined
  let done = 0
  Keywords.search(keywords, text, (word, at) => {
    const finders = byWord[word]!
    for (let n = 0; n < finders.length; n++) {
      const span = finders[n]!.find(text, at, at + keywords.lengths[word]!, isWide)
      if (span === undefined || span.end <= done) continue
      spans ??= []
      spans.push({ start: Math.max(span.start, done), end: span.end })
      done = span.end
      return done
    }
    return 0
  })
  return spans ?? none
}
