/**
 * Prints lines that fit the terminal, with colours only on a terminal.
 *
 * Texts of tools and models pass through `plain` first, so that their control characters cannot repaint the screen.
 */
import { shownOnOneLine } from "effect-toolguard/internal/domain/text/VisibleText"
import { displayWidth } from "effect/cli/CliOutput"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** The style of a text. */
export type Style = keyof typeof styles

/** The output of a command for people. */
export interface Screen {
  readonly columns: number
  /** Styles a text. Returns it unchanged if there are no colours. */
  readonly styled: (style: Style, text: string) => string
  /** Writes a line to standard output. */
  readonly line: (text: string) => void
}

/** The width if the output is not a terminal. */
const defaultColumns = 100

/** Creates a screen on standard output. A silent screen writes nothing. */
export const make = (isSilent: boolean): Effect.Effect<Screen, never, Terminal.Terminal> =>
  Effect.gen(function* () {
    const { columns } = yield* Terminal.Terminal
    const width = yield* columns
    const { canColor } = yield* TerminalCapabilities
    return {
      columns: width > 0 ? Math.max(40, width) : defaultColumns,
      styled: (style, text) => (canColor ? `\u001b[${styles[style]}m${text}\u001b[0m` : text),
      line: (text) => {
        if (!isSilent) process.stdout.write(`${text}\n`)
      }
    }
  })

/** Returns the first 10,000 characters of a foreign text on one line, with hidden characters shown as code points. */
export const plain = (text: string): string => shownOnOneLine(text.slice(0, 10_000))

const isAscii = /^[\x20-\x7e]*$/u

/** Returns the width of a text in columns. Most texts are ASCII, whose width is their length. */
const widthOf = (text: string): number => (isAscii.test(text) ? text.length : displayWidth(text))

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Cuts a text to a width. A cut text ends in `…`. */
export const fit = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** Splits a text at spaces into lines of at most `width` columns. A longer word is cut. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  let used = 0
  for (const word of text.split(" ")) {
    const columns = widthOf(word)
    if (line !== "" && used + 1 + columns > width) {
      lines.push(line)
      line = word
      used = columns
    } else {
      used += line === "" ? columns : columns + 1
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((each) => fit(each, width))
}
