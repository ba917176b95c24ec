/** Scans a list of values in a sentence: `asc, desc`, `'a' (note) or 'b'`, `low | high`, `[A, B]`. */
import { conjunction } from "./ListWords.ts"

/** A list of values in a sentence. */
export interface ScannedList {
  readonly values: ReadonlyArray<string>
  /** True if every value is in the same quotation marks, or emphasised in the same way. */
  readonly isQuoted: boolean
  /** True if a note follows every value, in brackets or after a dash. */
  readonly isExplained: boolean
  /** True if a note says that the value is the default. */
  readonly hasDefault: boolean
  /** The text between the values, without the notes. */
  readonly gaps: string
  /** The notes. */
  readonly notes: string
  /** The index after the last value and its note. */
  readonly end: number
}

const pairs = [
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["„", "[“”]"],
  ["‘", "’"],
  ["«\\s?", "\\s?»"],
  ["「", "」"],
  ["『", "』"],
  ["\\*\\*", "\\*\\*"],
  ["\\*", "\\*"]
] as const

/** The number of the group of a value without quotation marks, after those of the pairs. */
const bareStyle = pairs.length + 1

/** Matches a value in quotation marks. One of its groups is the value. */
export const quoted = pairs.map(([open, close]) => `${open}([^"'\`“”„‘’«»「」『』*\\n]{1,60}?)${close}`).join("|")

/** Matches a value without quotation marks. */
export const bare = String.raw`[\p{L}\p{N}_$#][\p{L}\p{N}_.+$#-]{0,39}(?<![.-])`

/** Words after a comma that are not a further value. */
const noValue = String.raw`[Dd]efaults?|默认|缺省|デフォルト|etc|[Oo]thers?|more|optional|(?:the|any|an?)(?=\s+\p{L})`
const item = new RegExp(
  String.raw`\s*(?:${quoted}|(?!(?:${noValue}|${conjunction})(?![\p{L}\p{N}_]))(${bare})(?![\p{L}\p{N}_]|://|@))`,
  "uy"
)
/** Matches a value of two or three words before a comma, a bar or the end. */
const phrase = new RegExp(
  String.raw`\s*(?!(?:${noValue}|${conjunction})(?![\p{L}\p{N}_]))(${bare}(?: (?!${conjunction})[\p{L}\p{N}_-]+){1,2})(?=\s*(?:[,;|]|[.]?\s*$))`,
  "uy"
)
const bracketNote = /\s*[(（][^()（）\n]{1,80}[)）]/uy
/** Matches an explanation that ends before the next value in quotation marks, or with the sentence. */
const wordedNote =
  /\s*(?:[-–—:=]|->|for|to|if|means|returns|für|para|pour|per)\s+[^,;|"'`“”«»「」\n]{1,80}?(?=\s*(?:[,;|\n]|$|[.](?:\s|$))|\s+(?:or|and|oder|und|o|y|ou|et)\s+["'`“«])/uy
const equalsNote = /\s*=\s*[^,;|\n]{1,80}?(?=\s*(?:[,;|\n]|$))/uy
const gap = new RegExp(String.raw`\s*(?:[,;|/、，；]\s*(?:${conjunction})?|${conjunction})\s*`, "iuy")

const at = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/** What a list may contain because of the words before it. */
interface ScanOptions {
  /** True if notes in words may follow the values: `'a' for …, 'b' for …`. */
  readonly isExplained: boolean
  /** True if values without quotation marks may have two or three words. */
  readonly hasPhrases: boolean
}

/** Scans the list that begins at an index. Returns undefined if fewer than two values follow. */
export const scan = (
  sentence: string,
  start: number,
  { hasPhrases, isExplained: explained }: ScanOptions
): ScannedList | undefined => {
  const values: Array<string> = []
  const styles = new Set<number>()
  const notes: Array<string> = []
  let [end, index, gaps] = [start, start, ""]
  while (values.length < 200) {
    const words = hasPhrases ? at(phrase, sentence, index) : null
    const found = words ?? at(item, sentence, index)
    if (found === null) break
    const style = words === null ? found.findIndex((group, position) => position > 0 && group !== undefined) : bareStyle
    const value = words?.[1] ?? found[style]
    if (value === undefined) break
    const isQuoted = style < bareStyle
    styles.add(style)
    values.push(value)
    if (values.length > 1) gaps += sentence.slice(end, index)
    index += found[0].length
    const note =
      at(bracketNote, sentence, index) ??
      (explained && isQuoted ? at(wordedNote, sentence, index) : null) ??
      (explained ? at(equalsNote, sentence, index) : null)
    if (note !== null) notes.push(note[0])
    index += note?.[0].length ?? 0
    end = index
    const between = at(gap, sentence, index)
    if (between === null) break
    index += between[0].length
  }
  return values.length < 2
    ? undefined
    : {
        values,
        isQuoted: styles.size === 1 && !styles.has(bareStyle),
        isExplained: notes.length === values.length,
        hasDefault: notes.some((note) => /default/iu.test(note)),
        gaps,
        notes: notes.join(" "),
        end
      }
}
