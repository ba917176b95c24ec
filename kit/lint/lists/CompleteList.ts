/** Decides whether the words around a list show that its values are the only allowed ones. */
import type { ScannedList } from "./ListScanner.ts"
import { alternative, form, incomplete, introduction, participle, weakIntroduction } from "./ListWords.ts"

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
  /** True if the name of the parameter is that of a property with few values. */
  readonly isNamed: boolean
  /** True if the description has no other sentence, except one about the default. */
  readonly isOnly: boolean
}

/** True if the words around a list show that it is complete. */
export const isComplete = (place: Place): boolean => {
  const { after, isInBrackets, list } = place
  if (isContinued(after) || incomplete.test(after) || /^\s*(?:is|are) (?:required|needed)/iu.test(after)) return false
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
  /^\s*(?:$|[.;。)\]}]|,?\s*\(?(?:(?:the )?default|缺省|默认|is|are|for|の|を|です)|\()/iu.test(after)

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
    list.isQuoted && alternative.test(list.gaps) && (before === "" || /^(?:[:,;–—]|\s-)/u.test(opening)),
  // the whole description of `state`: open or closed
  (place) => place.isNamed && place.before === "" && alternative.test(place.list.gaps) && isClosed(place),
  // the whole description: low, medium, high
  (place) => place.before === "" && place.list.values.length > 2 && areLowerCase(place.list) && isClosed(place),
  // the whole description: Region: us, jp, sg
  (place) => place.opening.startsWith(":") && place.list.values.length > 2 && isLabel(place.before) && isClosed(place),
  // the whole description: Where an entry of the log comes from (web/worker/cron)
  (place) =>
    place.isInBrackets && place.list.values.length > 2 && /^[/|\s]+$/u.test(place.list.gaps) && isClosed(place),
  // the whole description: Sort by name or size
  (place) => /(?<!\p{L})(?:sort|order)(?:ed)? by$/iu.test(place.before) && isWhole(place)
]

/** True if a description ends with the list, and no value is a form such as `id`. */
const isClosed = (place: Place): boolean => isWhole(place) && !place.list.values.some((value) => form.test(value))

/** True if a description ends with the list, or with a note about the default after it. */
const isWhole = ({ after, isInBrackets, isOnly }: Place): boolean =>
  isOnly &&
  /^\s*(?:[,;]?\s*[([]?(?:the )?(?:default|默认|缺省|デフォルト)[^.]*)?[.。]?\s*$/iu.test(
    isInBrackets ? after.replace(/^\s*[\])}）】]/u, "") : after
  )

/** True if a text is a label of at most four words. */
const isLabel = (text: string): boolean => text.split(/\s+/u).length <= 4 && !/[,.;:?!]/u.test(text)

/** True if brackets, a colon or a dash separate the list from the words before, or a comma if it is quoted. */
const isApart = ({ isInBrackets, list, opening }: Place): boolean =>
  isInBrackets || /[:–—=-]\s*$/u.test(opening) || (list.isQuoted && /[,.;]\s*$/u.test(opening))

const areLowerCase = ({ values }: ScannedList): boolean => values.every((value) => /^[a-z][a-z\d_-]*$/u.test(value))

const areIdentifiers = ({ values }: ScannedList): boolean => values.every((value) => /[_\d]|^\p{Lu}+$/u.test(value))

/** True if the list continues with words that are not a value: `, or a date range`. */
const isContinued = (after: string): boolean =>
  /^\s*(?:[,、|/]\s*(?!\s*(?:default|the default|默认|缺省|デフォルト|optional|$))|(?:or|and|oder|und|o|y|ou|et|или|и)\s|或|等|など|\.\.\.|…)/iu.test(
    after
  ) && !/^\s*[,、]\s*\(?(?:default|默认|缺省|デフォルト)/iu.test(after)
