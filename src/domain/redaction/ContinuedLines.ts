/**
 * Finds the lines that continue a secret: a wrapped key in quotes, a block scalar of YAML, a folded header.
 *
 * A line of several words continues a secret only in a block scalar, whose indentation tells where it ends.
 */

/** The minimum length of the first line of a wrapped key. */
const leastWrapped = 16
const wrappedLines = /(?:\r?\n[ \t]*[^\s"'`<>]+[ \t]*)*(?:\r?\n[ \t]*)?/y

/**
 * Returns the end of a quoted value whose first line ends at `lineEnd` without a quote, or -1. Each line has to be one
 * word, as in a wrapped key.
 */
export const wrappedEnd = (text: string, start: number, lineEnd: number, quote: string): number => {
  if (lineEnd - start < leastWrapped || /\s/.test(text.slice(start, lineEnd))) return -1
  wrappedLines.lastIndex = lineEnd
  const end = lineEnd + wrappedLines.exec(text)![0].length
  return text[end] === quote ? end : -1
}

/** The line breaks of a text, and of a text in a string. */
const breaks = String.raw`(?:\r?\n|\\r\\n|\\n)`
const nextWord = new RegExp(
  String.raw`${breaks}([ \t]+)(?![-#])([^\s"'<>{}\\]*[^\s"'<>{}\\:])[ \t]*[;,]?(?=${breaks}|["']|$)`,
  "y"
)
const nextLine = new RegExp(String.raw`${breaks}([ \t]*)((?:(?!\\r?\\?n|["'])[^\r\n])*)`, "y")

/** Returns the end of the lines of one word that follow `from` and are indented by at least `indent` characters. */
export const indentedWordsEnd = (text: string, from: number, indent: number): number => {
  let end = from
  for (;;) {
    nextWord.lastIndex = end
    const line = nextWord.exec(text)
    if (line === null || line[1]!.length < indent) return end
    end += line[0].length
  }
}

/** Returns the end of the block that follows `from`: all lines that are indented by at least `indent` characters. */
export const blockEnd = (text: string, from: number, indent: number): number => {
  let end = from
  for (let next = from; ;) {
    nextLine.lastIndex = next
    const line = nextLine.exec(text)
    if (line === null || (line[2] !== "" && line[1]!.length < indent)) return end
    next += line[0].length
    if (line[2] !== "") end = next
  }
}

const beforeHeader = /(?:^|\n|\\n)([ \t]*)(?:[\w-]{1,40}:[ \t]*)?$/

/**
 * Returns the end of a header's value with the lines into which it is folded. `at` is the beginning of the header or of
 * its value, and `end` the end of its first line.
 */
export const foldedEnd = (text: string, at: number, end: number): number => {
  const indent = beforeHeader.exec(text.slice(Math.max(0, at - 80), at))?.[1]?.length
  if (indent === undefined) return end
  const lineEnd = text[end] === ";" || text[end] === "," ? end + 1 : end
  const folded = indentedWordsEnd(text, lineEnd, indent + 1)
  return folded === lineEnd ? end : folded
}
