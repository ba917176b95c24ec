/**
 * What a person sees: lines that fit the terminal, coloured only on one.
 *
 * Texts of tools and models are made harmless first: their control characters must not repaint the screen.
 */
import { shownOnOneLine } from "effect-toolguard/internal/domain/text/VisibleText"
import { displayWidth } from "effect/cli/CliOutput"
import { TerminalCapabilities } from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Terminal from "effect/Terminal"

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

export type Style = keyof typeof styles

export interface Screen {
  readonly columns: number
  /** Marks a text; as it is where there are no colours. */
  readonly styled: (style: Style, text: string) => string
  /** Writes a line at once. */
  readonly line: (text: string) => void
}

/** Width where the output is no terminal. */
const usualColumns = 100

/** The terminal, or whatever stands in its place. A silent one writes nothing. */
export const make = (isSilent: boolean): Effect.Effect<Screen, never, Terminal.Terminal> =>
  Effect.gen(function* () {
    const { columns } = yield* Terminal.Terminal
    const width = yield* columns
    const { canColor } = yield* TerminalCapabilities
    return {
      columns: width > 0 ? Math.max(40, width) : usualColumns,
      styled: (style, text) => (canColor ? `\u001b[${styles[style]}m${text}\u001b[0m` : text),
      line: (text) => {
        if (!isSilent) process.stdout.write(`${text}\n`)
      }
    }
  })

/** A foreign text on one line, with hidden characters by number. Only its first 10,000 characters are read. */
export const plain = (text: string): string => shownOnOneLine(text.slice(0, 10_000))

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** A text cut to a width, with a mark where it was cut. */
export const fit = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  let kept = ""
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** A text as lines of a width, broken at blanks. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && displayWidth(longer) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].map((each) => fit(each, width))
}
