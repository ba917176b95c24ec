/**
 * Translates patterns of ECMA-262 with the flag `u`, as JSON Schema writes them, to the syntax of RE2, so that both match
 * the same texts.
 *
 * - Every character except ASCII letters and digits is written as its number, so nothing that RE2 reads differently
 *   remains: `\Q`, `\A`, `\h`, `&&`, `[:alpha:]`, nested classes, possessive quantifiers.
 * - Groups capture nothing, and lazy quantifiers become greedy: only whether a text matches matters.
 * - Look-around, back references and inline flags have no translation. The result is then a failure with the reason.
 */
import * as Result from "effect/Result"
import { character, characterClass, classEscapes, dot, inClass, type Range } from "./CodePoints.ts"
import { nameOf } from "./UnicodeProperty.ts"

/** A pattern in the syntax of RE2. */
interface TranslatedPattern {
  readonly text: string
  /** An upper estimate of the number of instructions of the compiled pattern. */
  readonly size: number
  /** The names of the Unicode properties in the text. */
  readonly properties: ReadonlySet<string>
}

/** The maximum length of a pattern, in UTF-16 units. */
const maxLength = 10_000

/** The maximum size of a pattern. */
const maxSize = 4_000

/** The maximum number of repetitions that RE2 accepts, multiplied over nested repetitions. */
const maxRepeats = 1_000

/** The maximum number of Unicode properties in a pattern: each can have 700 ranges. */
const maxProperties = 40

/** The part of a pattern that the next quantifier repeats, and the group around it. */
interface Frame {
  /** The size of the group so far, without its last part. */
  before: number
  /** The size of the last part. */
  last: number
  /** The greatest product of nested repetitions in the group without its last part, and in the last part. */
  repeatsBefore: number
  repeatsLast: number
}

const frame = (): Frame => ({ before: 0, last: 0, repeatsBefore: 1, repeatsLast: 1 })

const tooLarge = "the pattern repeats too much to run in linear time"

/** Constructs without a translation, by their beginnings. */
const untranslatable: ReadonlyArray<readonly [begin: RegExp, because: string]> = [
  [/\(\?[=!]/y, "the pattern has a look-ahead, which cannot run in linear time"],
  [/\(\?<[=!]/y, "the pattern has a look-behind, which cannot run in linear time"],
  [/\(\?[a-z-]+:/y, "the pattern has flags for a group, which are not supported"],
  [/\\(?:[1-9]|k<)/y, "the pattern has a back reference, which cannot run in linear time"]
]

/** The meaning of one escape. */
type Escape =
  | { readonly _tag: "Character"; readonly code: number }
  | { readonly _tag: "Set"; readonly ranges: ReadonlyArray<Range> }
  | { readonly _tag: "Property"; readonly text: string; readonly name: string }
  | { readonly _tag: "Boundary"; readonly text: string }

const escapeForm =
  /\\(?:u\{0*([0-9A-Fa-f]{1,6})\}|u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})|[ux]([0-9A-Fa-f]{4}|(?<=x)[0-9A-Fa-f]{2})|c([A-Za-z])|([pP])\{([^}]*)\}|([^]))/uy

const controls: ReadonlyMap<string, number> = new Map([
  ["t", 9],
  ["n", 10],
  ["v", 11],
  ["f", 12],
  ["r", 13],
  ["0", 0]
])

/** Matches a sticky expression at an index. */
const at = (form: RegExp, text: string, index: number): RegExpExecArray | null => {
  form.lastIndex = index
  return form.exec(text)
}

/**
 * Translates a pattern that `RegExp` accepts with the flag `u`. Fails with the reason, as a clause, if the pattern has
 * no translation or could become too large.
 */
export const translate = (pattern: string): Result.Result<TranslatedPattern, string> => {
  if (pattern.length > maxLength) return Result.fail(`the pattern is longer than ${maxLength} characters`)
  const properties = new Set<string>()
  const out: Array<string> = []
  const open: Array<Frame> = []
  let properNames = 0
  let current = frame()
  let index = 0
  let fault: string | undefined

  const add = (text: string, size: number, repeats = 1): void => {
    out.push(text)
    current.before += current.last
    current.repeatsBefore = Math.max(current.repeatsBefore, current.repeatsLast)
    current.last = size
    current.repeatsLast = repeats
  }

  const readEscape = (): Escape => {
    const found = at(escapeForm, pattern, index) ?? []
    const [text = "\\", braced, high, low = "", plain, control, kind, property = "", single = ""] = found
    index += text.length
    if (high !== undefined) {
      const code = (parseInt(high, 16) - 0xd800) * 0x400 + parseInt(low, 16) - 0xdc00 + 0x10000
      return { _tag: "Character", code }
    }
    const digits = braced ?? plain
    if (digits !== undefined) return { _tag: "Character", code: parseInt(digits, 16) }
    if (control !== undefined) return { _tag: "Character", code: (control.codePointAt(0) ?? 0) % 32 }
    if (kind !== undefined) {
      if (++properNames > maxProperties) fault ??= `the pattern has more than ${maxProperties} Unicode properties`
      if (property === "ASCII") {
        return {
          _tag: "Set",
          ranges: kind === "p" ? [[0, 0x7f]] : [[0x80, 0x10ffff]]
        }
      }
      const name = nameOf(property)
      if (name === undefined) fault ??= `the pattern has the Unicode property ${property}, which is not supported`
      else properties.add(name)
      return { _tag: "Property", text: `\\${kind}{${name}}`, name: property }
    }
    const ranges = classEscapes.get(single)
    if (ranges !== undefined) return { _tag: "Set", ranges }
    if (single === "b" || single === "B") return { _tag: "Boundary", text: `\\${single}` }
    return { _tag: "Character", code: controls.get(single) ?? single.codePointAt(0) ?? 0 }
  }

  /** Reads one member of a character class: a character or a set. */
  const readMember = (): Escape => {
    if (pattern[index] === "\\") {
      const escaped = readEscape()
      // `\b` is a backspace in a class.
      return escaped._tag === "Boundary" ? { _tag: "Character", code: 8 } : escaped
    }
    const code = pattern.codePointAt(index) ?? 0
    index += code > 0xffff ? 2 : 1
    return { _tag: "Character", code }
  }

  const readClass = (): void => {
    index += 1
    const isNegated = pattern[index] === "^"
    if (isNegated) index += 1
    const members: Array<string> = []
    while (index < pattern.length && pattern[index] !== "]") {
      const member = readMember()
      if (member._tag === "Set") members.push(inClass(member.ranges))
      else if (member._tag !== "Character") members.push(member.text)
      else if (pattern[index] === "-" && pattern[index + 1] !== "]") {
        index += 1
        const end = readMember()
        members.push(inClass([[member.code, end._tag === "Character" ? end.code : member.code]]))
      } else members.push(inClass([[member.code, member.code]]))
    }
    index += 1
    add(characterClass(members.join(""), isNegated), 1)
  }

  const readQuantifier = (found: RegExpExecArray): void => {
    const [text, few, comma, many] = found
    index += text.length
    const least = few === undefined ? (text.startsWith("+") ? 1 : 0) : Number(few)
    const most =
      few === undefined
        ? text.startsWith("?")
          ? 1
          : Infinity
        : comma === undefined
          ? least
          : many === ""
            ? Infinity
            : Number(many)
    const repeats = current.repeatsLast * Math.max(1, least, most === Infinity ? 1 : most)
    if (repeats > maxRepeats) fault ??= tooLarge
    const optional = most === Infinity ? 1 : most - least
    current.last = least * current.last + optional * (current.last + 1) + 1
    current.repeatsLast = repeats
    out.push(few === undefined ? (text[0] ?? "") : `{${least}${comma === undefined ? "" : `,${many}`}}`)
  }

  while (index < pattern.length && fault === undefined) {
    const one = pattern[index] ?? ""
    const unsupported = untranslatable.find(([begin]) => at(begin, pattern, index) !== null)
    if (unsupported !== undefined) return Result.fail(unsupported[1])
    const quantifier = at(/(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y, pattern, index)
    if (quantifier !== null) readQuantifier(quantifier)
    else if (one === "\\") {
      const escaped = readEscape()
      if (escaped._tag === "Character") add(character(escaped.code), 1)
      else if (escaped._tag === "Set") add(characterClass(inClass(escaped.ranges), false), 1)
      else add(escaped.text, 1)
    } else if (one === "[") readClass()
    else if (one === "(") {
      out.push("(?:")
      index += at(/\(\?(?::|<[^>]*>)/y, pattern, index)?.[0].length ?? 1
      open.push(current)
      current = frame()
    } else if (one === ")") {
      const inner = current
      current = open.pop() ?? frame()
      add(")", inner.before + inner.last, Math.max(inner.repeatsBefore, inner.repeatsLast))
      index += 1
    } else if (one === "|") {
      add("|", 1)
      index += 1
    } else if (one === "^" || one === "$") {
      add(one === "^" ? "\\A" : "\\z", 1)
      index += 1
    } else if (one === ".") {
      add(characterClass(inClass(dot), false), 1)
      index += 1
    } else {
      const code = pattern.codePointAt(index) ?? 0
      add(character(code), 1)
      index += code > 0xffff ? 2 : 1
    }
    if (current.before + current.last > maxSize) fault ??= tooLarge
  }
  if (fault !== undefined) return Result.fail(fault)
  // RE2 adds instructions at the beginning and the end.
  return Result.succeed({ text: out.join(""), size: current.before + current.last + 3, properties })
}
