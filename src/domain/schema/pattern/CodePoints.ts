/** Writes sets of code points as character classes of RE2. Code points are written as numbers, except ASCII letters and digits. */

/** The first and the last code point of a range. */
export type Range = readonly [first: number, last: number]

const last = 0x10ffff

const digits: ReadonlyArray<Range> = [[0x30, 0x39]]

const wordCharacters: ReadonlyArray<Range> = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a]
]

/** White space and line terminators of ECMA-262. RE2's own `\s` has only five of them. */
const spaces: ReadonlyArray<Range> = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff]
]

/** Returns the code points outside sorted ranges. */
const complement = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let next = 0
  for (const [first, end] of ranges) {
    if (first > next) found.push([next, first - 1])
    next = end + 1
  }
  found.push([next, last])
  return found
}

/** The sets that `\d`, `\w`, `\s` and their capitals stand for. */
export const classEscapes: ReadonlyMap<string, ReadonlyArray<Range>> = new Map([
  ["d", digits],
  ["D", complement(digits)],
  ["w", wordCharacters],
  ["W", complement(wordCharacters)],
  ["s", spaces],
  ["S", complement(spaces)]
])

/** The characters that `.` matches: all except line terminators. */
export const dot: ReadonlyArray<Range> = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029]
])

/** Writes one code point: ASCII letters and digits as themselves, and any other character as its number. */
export const character = (code: number): string => {
  const text = String.fromCodePoint(code)
  return /[0-9A-Za-z]/.test(text) ? text : `\\x{${code.toString(16)}}`
}

/** Writes ranges for the inside of a character class. */
export const inClass = (ranges: ReadonlyArray<Range>): string =>
  ranges.map(([first, end]) => `${character(first)}-${character(end)}`).join("")

/** Writes a character class. A class without members matches nothing, and its negation matches everything. */
export const characterClass = (members: string, isNegated: boolean): string => {
  if (members === "") return isNegated ? `[${inClass([[0, last]])}]` : `[^${inClass([[0, last]])}]`
  return isNegated ? `[^${members}]` : `[${members}]`
}
