/**
 * Finds the ends of the tokens of JSON text (RFC 8259), and describes their faults in a clause.
 *
 * Offsets count UTF-16 units. An `endOf…` function returns the offset after the token, `text.length + 1` if the text
 * ends within the token, or the complement (`~`) of the first wrong offset.
 */

const space = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09

/** Returns the first offset from `i` that is not JSON white space. */
export const skipSpace = (text: string, i: number): number => {
  while (i < text.length && space(text.charCodeAt(i))) i++
  return i
}

/** True if a token that starts with this code unit is a number. */
export const isNumber = (unit: number): boolean => unit === 0x2d || (unit >= 0x30 && unit <= 0x39)

const isHex = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)

/** Returns the end of the string whose content starts at `i`. */
export const endOfString = (text: string, i: number): number => {
  for (; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x22) return i + 1
    if (unit < 0x20) return ~i
    if (unit !== 0x5c) continue
    if (++i >= text.length) break
    if (text[i] === "u") {
      for (let digits = 0; digits < 4 && ++i < text.length; digits++) if (!isHex(text.charCodeAt(i))) return ~i
    } else if (!`"\\/bfnrt`.includes(text[i]!)) return ~i
  }
  return text.length + 1
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const startOfNumber = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?$/y
const word = /[A-Za-z_$][\w$]*/y

const match = (pattern: RegExp, text: string, i: number): string | undefined => {
  pattern.lastIndex = i
  return pattern.exec(text)?.[0]
}

const continuesNumber = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || unit === 0x2e || unit === 0x65 || unit === 0x45

/** Returns the end of the number, `true`, `false` or `null` that starts at `i`. */
export const endOfScalar = (text: string, i: number): number => {
  if (isNumber(text.charCodeAt(i))) {
    number.lastIndex = i
    const isWhole = number.test(text)
    const end = isWhole ? number.lastIndex : i
    if (isWhole && !continuesNumber(text.charCodeAt(end))) return end
    return match(startOfNumber, text, i) === undefined ? ~end : text.length + 1
  }
  for (const literal of ["true", "false", "null"]) {
    if (text.startsWith(literal, i)) return i + literal.length
    if (text.length - i < literal.length && literal.startsWith(text.slice(i))) return text.length + 1
  }
  return ~i
}

/** Returns the character at `i`, quoted for a message; `the end` at the end of the text. */
export const found = (text: string, i: number): string => {
  const point = text.codePointAt(i)
  return point === undefined ? "the end" : JSON.stringify(String.fromCodePoint(point))
}

/** Describes the fault at `i`, where a value is expected. */
export const notAValue = (text: string, i: number): string => {
  if (i > 0 && /[\d.+\-eE]/.test(text.charAt(i - 1))) return `an invalid number before ${found(text, i)}`
  if (text[i] === "'" || text[i] === "`") return "strings need double quotes"
  if (text.startsWith("//", i) || text.startsWith("/*", i)) return "comments are not allowed"
  if (text[i] === "]" || text[i] === "}") return "a value is missing, or there is an extra comma"
  const constant = match(word, text, i)
  if (constant !== undefined && /^(?:None|True|False|NaN|Infinity|undefined|TRUE|FALSE|NULL|nil)$/.test(constant)) {
    return `${constant} is not JSON: write true, false, null or a number`
  }
  return `expected a value, found ${found(text, i)}`
}

/** Describes the fault at `i`, where a field name is expected. */
export const notAName = (text: string, i: number): string => {
  if (text[i] === "}") return "there is an extra comma"
  if (text.startsWith("//", i) || text.startsWith("/*", i)) return "comments are not allowed"
  return text[i] === "'" || match(word, text, i) !== undefined
    ? "field names need double quotes"
    : `expected a field name, found ${found(text, i)}`
}

/** Describes the fault at `i` inside a string. */
export const badInString = (text: string, i: number): string => {
  if (text[i] === "\n" || text[i] === "\r") return "a line break inside a string must be written as \\n"
  if (text[i] === "\t") return "a tab inside a string must be written as \\t"
  return text.charCodeAt(i) < 0x20 ? "a control character inside a string" : "an invalid escape inside a string"
}

const maxMarkLength = 160
const marks = /^(?:\.{3}|…)\s*(?:[[(<{].*)?$|^[[(<]?\s*(?:(?:output|response|result|content|text)\s+)?truncated\b.*$/is

/** True if the text from `i` is only a truncation mark: `…`, `...`, `[truncated]`, `... (12 more)`. */
export const isCutMark = (text: string, i: number): boolean =>
  text.length - i <= maxMarkLength && marks.test(text.slice(i).trim())
