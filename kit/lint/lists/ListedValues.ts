/**
 * Finds the values that a description lists as the only allowed values: `one of: asc, desc`, `("bar", "line")`, `'a' or
 * 'b'`, `a|b`, `可选值:open、closed`, and lists with a line for each value.
 *
 * A list needs a reason to be complete: an introduction (`allowed values:`), a noun for a property with few values
 * (`status (open, closed)`), alternatives in quotation marks (`'a' or 'b'`), or that the description has nothing else
 * (`Region: north, south, east`). Examples (`such as`, `e.g.`, `…`), forms of a value and refused values do not count.
 */
import { isComplete } from "./CompleteList.ts"
import { plainText } from "./DescriptionText.ts"
import { bare, quoted, scan, type ScannedList } from "./ListScanner.ts"
import {
  combination,
  incomplete,
  introduction,
  kindName,
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
  const normal = plainText(text.slice(0, maxLength))
  const isCombined = combination.test(normal)
  const inLines = linesListed(normal, name)
  if (inLines.length > 0) return { values: inLines, isCombined }
  const joined = normal.replace(/`([\w.-]+(?:, ?[\w.-]+)+)`/gu, "$1").replace(/:[*_]*[ \t]*\n\s*/gu, ": ")
  const sentences = joined
    .split(/(?<=(?<!(?:^|[^\p{L}])\p{L})[.!?])\s+(?=[\p{Lu}"'`“*])|(?<=。)|\n+/u)
    .filter((sentence) => sentence.trim() !== "")
  const isOnly = sentences.every((sentence, index) => index === 0 || /^\W*default/iu.test(sentence))
  for (const sentence of sentences) {
    if (bulleted.test(sentence)) continue
    const plain = sentence.replace(/\*\*(?=[^*]*:\*\*)|(?<=:)\*\*/gu, "")
    const values = sentenceListed(plain, name, isOnly)
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
  const lines = text.split("\n").filter((each) => each.trim() !== "")
  if (lines.every((each) => bulleted.test(each))) return unique(linesFrom(lines))
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

const hasKind = (text: string, name: string): boolean => kindNoun.test(text) || isOfKindByName(name)

const isOfKindByName = (name: string): boolean => kindNoun.test(wordsOf(name)) || kindName.test(wordsOf(name))

const isOpen = (text: string): boolean => incomplete.test(text) || negative.test(text)

/** Matches the places where a list can begin: after an introduction, in brackets, and at a quotation mark. */
const starts = /(?:[:=–—,.;]|\s-)?\s*[[({（【]?\s*(?=[\p{L}\p{N}"'`“„‘«「『*$#])/gu

/** The number of values of a list inside of which no other list begins. */
const longList = 50

/** The number of characters around a list that are read. */
const around = 200

/** Returns the values of the first complete list in a sentence. */
const sentenceListed = (sentence: string, name: string, isOnly: boolean): ReadonlyArray<string> => {
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
    const list = scan(sentence, index + opening.length, {
      isExplained,
      hasPhrases: introduction.test(before) && opening.startsWith(":")
    })
    if (list === undefined) continue
    const after = sentence.slice(list.end, list.end + around)
    const isInBrackets = /[[({（【]\s*$/u.test(opening)
    const isNamed = isOfKindByName(name)
    if (isComplete({ before, opening, isInBrackets, list, after, isOfKind, isNamed, isOnly })) {
      const values = valuesOf(list)
      if (values.length >= 2) return values
    }
    if (list.isQuoted || list.values.length > longList) next = list.end
  }
  return []
}

const valuesOf = ({ values }: ScannedList): ReadonlyArray<string> => {
  const all = unique(values.map((value) => value.trim()))
  const isDated = all.every((value) => /^(?:[YMDHhms\-/.:T]+|P(?:T?\d+[YMWDHS])+)$/u.test(value))
  return !isDated && values.every(isValue) ? all : []
}

const unique = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.map((value) => value.trim()))
]

const isValue = (value: string): boolean =>
  value.split(/\s+/u).length <= 3 &&
  !/[A-Za-z][\u3040-\u30FF]|など$|等$|^(?:например|напр|т\.д|т\.п|др|ej|ex|eg)$/iu.test(value) &&
  !/(?:^|\s)(?:and|or|etc|more|others?)(?:\s|$)|,|^\s|\s$|(?:separated|delimited)$/iu.test(value)
