/**
 * Generates strings that a pattern matches, for witnesses, and computes the lengths of such strings, to prove bounds.
 *
 * Reads characters, classes, groups, alternatives, repetitions and anchors; a pattern with anything else is not
 * supported. Every string is tested against the pattern before it is returned.
 */
import { matches } from "#kit/schema/Assertions"

/** A part of a pattern. */
type Piece =
  /** One of several characters. */
  | { readonly _tag: "One"; readonly of: ReadonlyArray<string> }
  | { readonly _tag: "Sequence"; readonly pieces: ReadonlyArray<Piece> }
  | { readonly _tag: "Either"; readonly pieces: ReadonlyArray<Piece> }
  | { readonly _tag: "Times"; readonly piece: Piece; readonly least: number; readonly most: number }

const empty: Piece = { _tag: "Sequence", pieces: [] }

/** The error for an unsupported part of a pattern. It is caught in this file. */
const unsupported = new Error("unsupported pattern")

const classes: Readonly<Record<string, ReadonlyArray<string>>> = {
  d: ["0", "7"],
  w: ["a", "Z", "0", "_"],
  s: [" "],
  D: ["a", "-"],
  W: ["-", " "],
  S: ["a", "0"]
}

const properties: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
  [/^(?:L|Letter|Alphabetic|Ll|Lowercase)/, ["a", "é"]],
  [/^(?:Lu|Uppercase)/, ["A"]],
  [/^(?:N|Nd|Number)/, ["1"]]
]

const candidates = ["a", "A", "0", "-", "_", " ", ".", "/", "é", "~"]
const controls: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f", v: "\v", "0": "\0" }

/** A recursive-descent parser of patterns. */
class Parser {
  readonly text: string
  index = 0

  constructor(text: string) {
    this.text = text
  }

  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.index)) return false
    this.index += expected.length
    return true
  }

  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index
    const found = pattern.exec(this.text) ?? undefined
    this.index += found?.[0].length ?? 0
    return found
  }

  either(): Piece {
    const pieces = [this.sequence()]
    while (this.take("|")) pieces.push(this.sequence())
    return pieces.length === 1 ? (pieces[0] ?? empty) : { _tag: "Either", pieces }
  }

  sequence(): Piece {
    const pieces: Array<Piece> = []
    while (this.index < this.text.length && !/[|)]/.test(this.text[this.index] ?? "")) {
      pieces.push(this.repeated(this.atom()))
    }
    return { _tag: "Sequence", pieces }
  }

  atom(): Piece {
    if (this.take("^") || this.take("$") || this.take("\\b")) return empty
    if (this.match(/\((?:\?(?:=|!|<=|<!))/y) !== undefined) throw unsupported
    if (this.match(/\((?:\?:|\?<\w+>)?/y) !== undefined) {
      const inside = this.either()
      if (!this.take(")")) throw unsupported
      return inside
    }
    if (this.take("[")) return this.class()
    if (this.take(".")) return { _tag: "One", of: candidates }
    return { _tag: "One", of: this.characters() }
  }

  /** Reads the characters that an escape or a plain character matches. */
  characters(): ReadonlyArray<string> {
    const property = this.match(/\\p\{(?:\w+=)?(\w+)\}/y)
    if (property !== undefined) {
      return properties.find(([name]) => name.test(property[1] ?? ""))?.[1] ?? this.fail()
    }
    const code = this.match(/\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))/y)
    if (code !== undefined) return [String.fromCodePoint(Number.parseInt(code.slice(1).find(Boolean) ?? "0", 16))]
    const escape = this.match(/\\(.)/suy)
    if (escape !== undefined) {
      const character = escape[1] ?? ""
      if (/[1-9kBPcq]/.test(character)) throw unsupported
      return classes[character] ?? [controls[character] ?? character]
    }
    return [this.match(/[^]/uy)?.[0] ?? this.fail()]
  }

  fail(): never {
    throw unsupported
  }

  class(): Piece {
    const start = this.index - 1
    this.take("^")
    while (this.index < this.text.length && this.text[this.index] !== "]") {
      const [first] = this.characters()
      if (this.text[this.index] !== "-" || this.text[this.index + 1] === "]") continue
      this.index += 1
      const [last] = this.characters()
      if (first === undefined || last === undefined) throw unsupported
    }
    if (!this.take("]")) throw unsupported
    const source = this.text.slice(start, this.index)
    return { _tag: "One", of: members(source) }
  }

  repeated(piece: Piece): Piece {
    const found = this.match(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y)
    if (found === undefined) return piece
    const [, sign, low, comma, high] = found
    const least = sign === undefined ? Number(low) : sign === "+" ? 1 : 0
    const bounded = comma === undefined ? least : high === "" || high === undefined ? Infinity : Number(high)
    const most = sign === undefined ? bounded : sign === "?" ? 1 : Infinity
    return { _tag: "Times", piece, least, most }
  }
}

/** Returns characters of a class, a few of each kind. */
const members = (source: string): ReadonlyArray<string> => {
  const ends = [...source.matchAll(/\\?([^\\[\]^])/gsu)].map(([, character]) => character ?? "")
  const found = [...new Set([...candidates, "z", "Z", "9", "1", ":", "@", "+", ...ends])].filter((character) =>
    matches(`^${source}$`, character)
  )
  if (found.length === 0) throw unsupported
  return found
}

const parse = (pattern: string): Piece | undefined => {
  const parser = new Parser(pattern)
  try {
    const piece = parser.either()
    return parser.index === pattern.length ? piece : undefined
  } catch (error) {
    if (error !== unsupported) throw error
    return undefined
  }
}

/** The maximum number of repetitions. */
const maxRepetitions = 400

/**
 * The maximum length of a generated repetition, because nested repetitions multiply. A text that becomes too short is
 * discarded.
 */
const longestText = 10_000

/** Generates a string. `pick` selects characters and alternatives; repetitions exceed their minimum by `extra`. */
const write = (piece: Piece, pick: number, extra: number): string => {
  switch (piece._tag) {
    case "One":
      return piece.of[pick % piece.of.length] ?? ""
    case "Sequence":
      return piece.pieces.map((one) => write(one, pick, extra)).join("")
    case "Either": {
      const chosen = piece.pieces[pick % piece.pieces.length] ?? empty
      return write(chosen, pick, extra)
    }
    case "Times": {
      const once = write(piece.piece, pick, extra)
      const most = Math.floor(longestText / Math.max(1, once.length))
      return once.repeat(Math.min(piece.most, piece.least + extra, maxRepetitions, most))
    }
  }
}

/** Returns strings that a pattern matches; none if the pattern is not supported. */
export const texts = (pattern: string, extras: ReadonlyArray<number> = [0, 1, 2]): ReadonlyArray<string> => {
  const piece = parse(pattern)
  if (piece === undefined) return []
  const found = extras.flatMap((extra) => [0, 1, 2, 3, 4].map((pick) => write(piece, pick, extra)))
  return [...new Set(found)].filter((text) => matches(pattern, text))
}

const sum = (pieces: ReadonlyArray<Lengths>): Lengths => ({
  least: pieces.reduce((total, { least }) => total + least, 0),
  most: pieces.reduce((total, { most }) => total + most, 0)
})

interface Lengths {
  readonly least: number
  readonly most: number
}

const lengthsOf = (piece: Piece): Lengths => {
  switch (piece._tag) {
    case "One":
      return { least: 1, most: 1 }
    case "Sequence":
      return sum(piece.pieces.map(lengthsOf))
    case "Either": {
      const each = piece.pieces.map(lengthsOf)
      return { least: Math.min(...each.map(({ least }) => least)), most: Math.max(...each.map(({ most }) => most)) }
    }
    case "Times": {
      const { least, most } = lengthsOf(piece.piece)
      return { least: least * piece.least, most: most === 0 || piece.most === 0 ? 0 : most * piece.most }
    }
  }
}

/**
 * Returns the lengths, in characters, of strings that a pattern matches. Without anchors at both ends there is no
 * maximum.
 */
export const lengths = (pattern: string): Lengths => {
  const piece = parse(pattern)
  if (piece === undefined) return { least: 0, most: Infinity }
  const { least, most } = lengthsOf(piece)
  const isWhole = /^\^[^|]*(?<!\\)\$$/.test(pattern) || /^\^\((?:\?:)?[^()]*\)\$$/.test(pattern)
  return { least, most: isWhole ? most : Infinity }
}
