/**
 * Finds secrets in a text. One search finds the keywords of all patterns, and a pattern is applied only at its
 * keywords.
 *
 * **Details**
 *
 * - A pattern reads at most 4,096 characters from its keyword. If a token continues beyond the match, the whole token is
 *   a secret.
 * - The time for a pattern does not depend on its position, so the total time is linear in the length of the text.
 */
import { type Steps, stepLength, whole } from "#domain/json/Steps"
import * as Keywords from "./Keywords.ts"
import { entropy } from "./SecretLike.ts"
import type { SecretPattern } from "./SecretPattern.ts"

/** The position of a secret: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
  /** True if the finder stopped reading within the secret, which then ends at the next space, quote or bracket. */
  readonly isCut?: boolean | undefined
}

/** Finds one kind of secret. */
export interface Finder {
  /** The keywords, in lower-case ASCII. Every secret of the kind contains a keyword or is near one. */
  readonly keywords: ReadonlyArray<string>
  /** Looks for a secret at a keyword that begins at `at` and ends before `wordEnd`. */
  readonly find: (text: string, at: number, wordEnd: number, isWide: boolean) => Span | undefined
}

/** The number of characters that a pattern reads. */
const maxLength = 4_096
/** The number of characters that a pattern reads if a match can begin before the keyword. */
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

/** Creates a finder from a pattern. Throws a SyntaxError if the pattern is not a regular expression. */
export const ofPattern = (pattern: SecretPattern): Finder => {
  const { before, begins } = pattern
  const isAround = begins === "before"
  const reach = isAround ? longestAround : maxLength
  const hasGroup = (new RegExp(`${pattern.pattern}|`).exec("")?.length ?? 1) > 1
  // The match is a group too, after the characters that can precede it.
  const source = isAround ? `[^]{0,${before}}?(${pattern.pattern})` : pattern.pattern
  const secretGroup = (isAround ? 1 : 0) + (hasGroup ? 1 : 0)
  const expression = new RegExp(source, `y${secretGroup === 0 ? "" : "d"}${pattern.ignoresCase === true ? "i" : ""}`)
  return {
    keywords: pattern.keywords,
    find: (text, at, wordEnd, isWide) => {
      if (pattern.onlyFailures === true && !isWide) return undefined
      const from = begins === "behind" ? wordEnd : Math.max(0, at - before)
      // Some characters before the match are included for lookbehind.
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

/** Finders combined into one search. */
export interface Finders {
  readonly keywords: Keywords.Keywords
  readonly byWord: ReadonlyArray<ReadonlyArray<Finder>>
}

/** Characters that a reader does not see, and that can split a token: soft hyphen, zero-width characters and marks. */
const hidden = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
const someHidden = new RegExp(`[${hidden}]`)

/** Combines finders into one search. Takes some milliseconds. */
export const combine = (finders: ReadonlyArray<Finder>): Finders => {
  const byWord = new Map<string, Array<Finder>>()
  for (const finder of finders) {
    for (const word of finder.keywords) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [finder])
      else known.push(finder)
    }
  }
  for (const character of hidden) byWord.set(character, [])
  return { keywords: Keywords.make([...byWord.keys()]), byWord: [...byWord.values()] }
}

/** The minimum length of a secret together with its keyword. */
const minLength = 8

const none: ReadonlyArray<Span> = []

/** Returns the secrets of a text, in order and without overlaps. If `isWide`, the rules for failures apply. */
export const findAll = (finders: Finders, text: string, isWide: boolean): ReadonlyArray<Span> =>
  text.length < minLength || !Keywords.mentions(finders.keywords, text) ? none : search(finders, text, isWide)

/** True if a text of a result contains a secret. */
export const finds = (finders: Finders, text: string): boolean =>
  text.length >= minLength && Keywords.mentions(finders.keywords, text) && search(finders, text, false) !== none

/** Returns the same as `findAll`, in steps. */
export function* findAllInSteps(finders: Finders, text: string, isWide: boolean): Steps<ReadonlyArray<Span>> {
  yield
  const isHidden = someHidden.test(text)
  yield
  return yield* (isHidden ? searchVisible : searchInSteps)(finders, text, isWide)
}

const search = (finders: Finders, text: string, isWide: boolean): ReadonlyArray<Span> =>
  someHidden.test(text) ? whole(searchVisible(finders, text, isWide)) : searchText(finders, text, isWide)

/** Searches the text without its hidden characters, and returns the secrets with their positions in the whole text. */
function* searchVisible(finders: Finders, text: string, isWide: boolean): Steps<ReadonlyArray<Span>> {
  const places = new Uint32Array(text.length)
  let visible = ""
  let from = 0
  let count = 0
  for (let i = 0; i < text.length; i++) {
    if (i % stepLength === stepLength - 1) yield
    if (!hidden.includes(text[i]!)) {
      places[count++] = i
      continue
    }
    visible += text.slice(from, i)
    from = i + 1
  }
  visible += text.slice(from)
  const spans = yield* searchInSteps(finders, visible, isWide)
  if (spans.length === 0) return none
  return spans.map(({ end, start }) => ({ start: places[start]!, end: places[end - 1]! + 1 }))
}

const restOfValue = /[^\s"'`,;&<>()[\]{}|\\]*/y
/** The rest of a word that a shell continues on the next line, after a backslash. */
const restAfterBreak = /(?:(?:\\\r?\n|\\\\(?:\\r)?\\n)[^\s"'`,;&<>()[\]{}|\\]+)*/y

/** Returns the end of a secret. The rest of a secret is read only when it is found, so that the time stays linear. */
const endOf = (text: string, span: Span): number => {
  let { end } = span
  if (span.isCut === true) {
    restOfValue.lastIndex = end
    end += restOfValue.exec(text)![0].length
  }
  if (text[end] !== "\\") return end
  restAfterBreak.lastIndex = end
  return end + restAfterBreak.exec(text)![0].length
}

const searchText = (finders: Finders, text: string, isWide: boolean): ReadonlyArray<Span> => {
  const { found, onWord } = searchOf(finders, text, isWide)
  Keywords.search(finders.keywords, text, onWord)
  return found()
}

/** The number of characters that a step searches, in which all words may be near a secret. */
const searchLength = stepLength / 5

function* searchInSteps(finders: Finders, text: string, isWide: boolean): Steps<ReadonlyArray<Span>> {
  const { found, onWord } = searchOf(finders, text, isWide)
  const place: Keywords.Place = { at: 0, state: 0 }
  while (place.at < text.length) {
    Keywords.search(finders.keywords, text, onWord, place, Math.min(text.length, place.at + searchLength))
    yield
  }
  return found()
}

/** Returns the function to call for each word of a text, and a function that returns the secrets found so far. */
const searchOf = ({ byWord, keywords }: Finders, text: string, isWide: boolean) => {
  let spans: Array<Span> | undefined
  let done = 0
  const onWord = (word: number, at: number): number => {
    const finders = byWord[word]!
    for (let n = 0; n < finders.length; n++) {
      const span = finders[n]!.find(text, at, at + keywords.lengths[word]!, isWide)
      if (span === undefined || span.end <= done) continue
      spans ??= []
      const end = endOf(text, span)
      spans.push({ start: Math.max(span.start, done), end })
      done = end
      return done
    }
    return 0
  }
  return { onWord, found: (): ReadonlyArray<Span> => spans ?? none }
}
