/**
 * Generates texts for a regular expression from its literals, classes, groups, choices and repetitions.
 *
 * The content of a positive lookbehind is written at its place. Negative lookbehinds, lookaheads and boundaries are
 * ignored, so some texts do not match.
 */

type Chooser = (below: number) => number

interface Reader {
  readonly source: string
  at: number
}

const range = (from: string, to: string): string =>
  Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, i) =>
    String.fromCharCode(from.charCodeAt(0) + i)
  ).join("")

const digits = range("0", "9")
const classes: Readonly<Record<string, string>> = {
  d: digits,
  w: `${range("a", "z")}${range("A", "Z")}${digits}_`,
  s: " ",
  S: `${range("a", "z")}${digits}`,
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f"
}

const readEscape = (reader: Reader): string => {
  const letter = reader.source[reader.at++]!
  if (letter === "x") {
    reader.at += 2
    return String.fromCharCode(Number.parseInt(reader.source.slice(reader.at - 2, reader.at), 16))
  }
  return letter === "b" || letter === "B" ? "" : (classes[letter] ?? letter)
}

const readClass = (reader: Reader): string => {
  const isNegated = reader.source[reader.at] === "^"
  if (isNegated) reader.at += 1
  let members = ""
  while (reader.source[reader.at] !== "]") {
    let member = reader.source[reader.at++]!
    if (member === "\\") member = readEscape(reader)
    const isRange = reader.source[reader.at] === "-" && reader.source[reader.at + 1] !== "]" && member.length === 1
    if (isRange) {
      reader.at += 1
      members += range(member, reader.source[reader.at++]!)
    } else members += member
  }
  reader.at += 1
  if (!isNegated) return members
  return [...classes["w"]!].filter((unit) => !members.includes(unit)).join("")
}

const readTimes = (reader: Reader, choose: Chooser): number => {
  const times = /^(?:\{(\d+)(,(\d*))?\}|[*+?])\??/.exec(reader.source.slice(reader.at))
  if (times === null) return 1
  reader.at += times[0].length
  const [sign, least, open, most] = times
  if (least === undefined) return sign.startsWith("?") ? choose(2) : choose(3) + (sign.startsWith("+") ? 1 : 0)
  const from = Number(least)
  const to = open === undefined ? from : most === "" ? from + 8 : Number(most)
  return from + choose(Math.min(to - from, 60) + 1)
}

/** Reads one term up to `|`, `)` or the end, and returns a text for the term. */
const readTerm = (reader: Reader, choose: Chooser): string => {
  let text = ""
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at]!)) {
    const from = reader.at
    const first = readAtom(reader, choose)
    const end = reader.at
    const times = readTimes(reader, choose)
    const after = reader.at
    if (times > 0) text += first
    for (let i = 1; i < times; i++) {
      reader.at = from
      text += readAtom(reader, choose)
    }
    reader.at = Math.max(after, end)
  }
  return text
}

const readAtom = (reader: Reader, choose: Chooser): string => {
  const unit = reader.source[reader.at++]!
  if (unit === "[") {
    const members = readClass(reader)
    return members[choose(members.length)] ?? ""
  }
  if (unit === "\\") {
    const members = readEscape(reader)
    return members[choose(members.length)] ?? ""
  }
  if (unit === "^" || unit === "$") return ""
  if (unit !== "(") return unit
  const kind = /^\?(?:<?[=!]|:)/.exec(reader.source.slice(reader.at))?.[0] ?? ""
  reader.at += kind.length
  const text = readChoice(reader, choose)
  reader.at += 1
  return kind === "?=" || kind === "?!" || kind === "?<!" ? "" : text
}

const readChoice = (reader: Reader, choose: Chooser): string => {
  const choices = [readTerm(reader, choose)]
  while (reader.source[reader.at] === "|") {
    reader.at += 1
    choices.push(readTerm(reader, choose))
  }
  return choices[choose(choices.length)]!
}

/** Returns a text for a regular expression. The seed determines the text. */
export const sampleOf = (source: string, seed: number): string => {
  let state = seed * 2_654_435_761 + 1
  const choose: Chooser = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return readChoice({ source, at: 0 }, choose)
}
