/**
 * Finds the values that a description lists as the only allowed values: `one of: asc, desc`, `("bar", "line")`, `'a' or
 * 'b'`, `a|b`, `可选值:open、closed`, and lists with a line for each value.
 *
 * A list needs a reason to be complete: an introduction (`allowed values:`), a noun for a property with few values
 * (`status (open, closed)`), or alternatives in quotation marks (`'a' or 'b'`). Examples (`such as`, `e.g.`, `…`),
 * forms of a value and refused values do not count.
 */
import { halfWidth } from "#kit/text/HalfWidth"
import { bare, quoted, scan, type ScannedList } from "./ListScanner.ts"
import {
  alternative,
  combination,
  incomplete,
  introduction,
  kindNoun,
  negative,
  participle,
  weakIntroduction
} from "./ListWords.ts"

/** The values that a description lists. */
interface ListedValues {
  readonly values: ReadonlyArray<string>
  /** True if a text may combine several of the values, such as `id,name`. */
  readonly isCombined: boolean
}

const none: ListedValues = { values: [], isCombined: false }
const maxLength = 4_000

/** Returns the values of the first complete list in a text. `name` is the name of the parameter. */
export const valuesListed = (text: string, name = ""): ListedValues => {
  const normal = halfWidth(text.slice(0, maxLength)).replace(/&#(\d{2,3});/gu, (_, code: string) =>
    String.fromCharCode(Number(code))
  )
  const isCombined = combination.test(normal)
  const inLines = linesListed(normal, name)
  if (inLines.length > 0) return { values: inLines, isCombined }
  const joined = normal.replace(/`([\w.-]+(?:, ?[\w.-]+)+)`/gu, "$1").replace(/:[*_]*[ \t]*\n\s*/gu, ": ")
  for (const sentence of joined.split(/(?<=(?<!(?:^|[^\p{L}])\p{L})[.!?])\s+(?=[\p{Lu}"'`“*])|(?<=。)|\n+/u)) {
    if (bulleted.test(sentence)) continue
    const values = sentenceListed(sentence.replace(/\*\*(?=[^*]*:\*\*)|(?<=:)\*\*/gu, ""), name)
    if (values.length > 0) return { values, isCombined }
  }
  return none
}

const wordsOf = (name: string): string => name.replace(/([a-z])([A-Z])/gu, "$1 $2").replace(/[_-]+/gu, " ")

const bullet = String.raw`(?:[-*•+]|\d{1,2}[.)])`
const bulleted = new RegExp(String.raw`^\s*${bullet}\s`, "u")
const line = new RegExp(
  String.raw`^[ \t]*(?:${bullet}[ \t]+)?(?:${quoted}|(${bare})(?!://))(?:[ \t]*(?:[:=]|[-–—]|->)[ \t]*\S.*|[ \t]*\([^()]*\).*|[ \t]*[:,;.])?[ \t]*$`,
  "u"
)

/** Returns the values of all lists with a line for each value, each after a line that introduces it. */
const linesListed = (text: string, name: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return unique(lines.flatMap((intro, index) => (introduces(intro, name) ? linesFrom(lines.slice(index + 1)) : [])))
}

/** True if a line introduces a complete list of the lines after it. */
const introduces = (intro: string, name: string): boolean => {
  const ending = intro.replace(/[\s:*_]+$/u, "")
  const isColon = /:[\s*_]*$/u.test(intro)
  return (
    !isOpen(intro) &&
    (introduction.test(ending) || (isColon && (participle.test(ending) || hasKind(lastPart(ending), name))))
  )
}

const linesFrom = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (const each of lines) {
    if (each.trim() === "") continue
    const value = line
      .exec(each)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (value === undefined || /^(?:default|note|examples?)$/iu.test(value)) break
    if (!isValue(value) || /\.\.\.|…|\betc\b/iu.test(each)) return []
    values.push(value)
  }
  return values.length >= 2 ? values : []
}

const lastPart = (text: string): string => text.split(/[.;!?]\s/u).at(-1) ?? ""

const hasKind = (text: string, name: string): boolean => kindNoun.test(text) || kindNoun.test(wordsOf(name))

const isOpen = (text: string): boolean => incomplete.test(text) || negative.test(text)

/** Matches the places where a list can begin: after an introduction, in brackets, and at a quotation mark. */
const starts = /(?:[:=–—,.;]|\s-)?\s*[[({（【]?\s*(?=[\p{L}\p{N}"'`“„‘«「『*$#])/gu

/** The number of characters around a list that are read. */
const around = 200

/** A list in a sentence, with the words around it. */
interface Place {
  /** The text before the list, without the opening. */
  readonly before: string
  /** The punctuation directly before the first value, such as `: ` or ` (`. */
  readonly opening: string
  readonly isInBrackets: boolean
  readonly list: ScannedList
  readonly after: string
  /** True if the list follows a noun for a property with few values, in the sentence or in the name. */
  readonly isOfKind: boolean
}

/** Returns the values of the first complete list in a sentence. */
const sentenceListed = (sentence: string, name: string): ReadonlyArray<string> => {
  const opened = sentence.search(incomplete)
  const negated = sentence.search(negative)
  let next = 0
  for (const { 0: opening, index } of sentence.matchAll(starts)) {
    if (index < next) continue
    if ((opened >= 0 && opened < index) || (negated >= 0 && negated < index)) return []
    const before = sentence.slice(Math.max(0, index - around), index).trimEnd()
    // a list does not begin inside of a word
    if (opening === "" && /[\p{L}\p{N}_]$/u.test(sentence.charAt(index - 1))) continue
    const isOfKind = hasKind(lastPart(before), name)
    const isExplained = introduction.test(before) || weakIntroduction.test(before) || isOfKind
    const list = scan(sentence, index + opening.length, isExplained)
    if (list === undefined) continue
    const after = sentence.slice(list.end, list.end + around)
    const isInBrackets = /[[({（【]\s*$/u.test(opening)
    if (isComplete({ before, opening, isInBrackets, list, after, isOfKind })) {
      const values = valuesOf(list)
      if (values.length >= 2) return values
    }
    if (list.isQuoted) next = list.end
  }
  return []
}

/** True if the words around a list show that it is complete. */
const isComplete = (place: Place): boolean => {
  const { after, isInBrackets, list } = place
  if (isContinued(after) || incomplete.test(after)) return false
  if (isInBrackets && !/^\s*(?:[\])}）】]|[,;]\s*default)/iu.test(after)) return false
  return isIntroduced(place) || (!incomplete.test(list.notes) && reasons.some((holds) => holds(place)))
}

/** True after words such as `one of` or `allowed values:`. */
const isIntroduced = (place: Place): boolean => {
  const { before, opening } = place
  return (
    ((!/^[,.;]/u.test(opening) && introduction.test(before)) || (opening.startsWith(":") && participle.test(before))) &&
    isDelimited(place)
  )
}

/** True if the list clearly ends: values in quotation marks or brackets, or the end of the sentence. */
const isDelimited = ({ after, isInBrackets, list }: Place): boolean =>
  list.isQuoted ||
  isInBrackets ||
  /^\s*(?:$|[.;。)\]}]|,?\s*\(?(?:default|缺省|默认|is|are|for|の|を|です)|\()/iu.test(after)

/** The reasons, other than an introduction, for which a list is complete. */
const reasons: ReadonlyArray<(place: Place) => boolean> = [
  // only a, b and c are supported
  ({ after, before }) =>
    /(?<![\p{L}])only$/iu.test(before) && /^\s*(?:is|are) (?:supported|allowed|accepted)/iu.test(after),
  // must be "a" or "b"; can be set to a, or b (default)
  (place) =>
    weakIntroduction.test(place.before) &&
    (place.list.isQuoted || ((areIdentifiers(place.list) || place.list.hasDefault) && isDelimited(place))),
  // status (a, b); the sort order: a or b; the unit, "a" or "b"
  (place) => place.isOfKind && isApart(place) && isDelimited(place),
  // a (note), b (note)
  (place) => place.list.isExplained && !place.isInBrackets && isApart(place) && isDelimited(place),
  // a | b
  ({ before, list }) => /^[\s|]*\|[\s|]*$/u.test(list.gaps) && !/[/^&;#]$/u.test(before),
  // "a" or "b", at the start of a sentence or after punctuation
  ({ before, list, opening }) =>
    list.isQuoted && alternative.test(list.gaps) && (before === "" || /^(?:[:,;–—]|\s-)/u.test(opening))
]

/** True if brackets, a colon or a dash separate the list from the words before, or a comma if it is quoted. */
const isApart = ({ isInBrackets, list, opening }: Place): boolean =>
  isInBrackets || /[:–—=-]\s*$/u.test(opening) || (list.isQuoted && /[,.;]\s*$/u.test(opening))

const areIdentifiers = ({ values }: ScannedList): boolean => values.every((value) => /[_\d]|^\p{Lu}+$/u.test(value))

/** True if the list continues with words that are not a value: `, or a date range`. */
const isContinued = (after: string): boolean =>
  /^\s*(?:[,、|/]\s*(?!\s*(?:default|the default|optional|$))|(?:or|and|oder|und|o|y|ou|et|или|и)\s|或|等|など|\.\.\.|…)/iu.test(
    after
  ) && !/^\s*[,、]\s*\(?default/iu.test(after)

const valuesOf = ({ values }: ScannedList): ReadonlyArray<string> => {
  const all = unique(values.map((value) => value.trim()))
  const isDated = all.every((value) => /^[YMDHhms\-/.:T]+$/u.test(value))
  return !isDated && values.every(isValue) ? all : []
}

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.map((value) => value.trim()))
]

const isValue = (value: string): boolean =>
  value.split(/\s+/u).length <= 3 &&
  !/(?:^|\s)(?:and|or|etc|more|others?)(?:\s|$)|,|^\s|\s$|(?:separated|delimited)$/iu.test(value)
