/**
 * Finds out the format of a file by its lines, and reads them.
 *
 * The first line that shows its format decides. Chat messages that may be of several formats are held until then, twenty of
 * them at most; where none decides they are read as OpenAI's. A hundred lines of which none shows a format are enough: the
 * file's format is not known.
 */
import { kindOf } from "#kit/traffic/ChatLog"
import type { Place } from "#kit/traffic/Conversation"
import { readerOf } from "./Formats.ts"
import { type Item, nothing, type Reader, skipped } from "#kit/traffic/Reader"
import * as Shape from "#kit/traffic/Shape"

/** What is known of the format. */
export type Found =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Known"; readonly format: Shape.FormatName }
  /** `first` describes the first line. */
  | { readonly _tag: "Unknown"; readonly first: string }

export interface Detecting extends Reader {
  readonly found: () => Found
}

/** Most lines that are held, and most that may show no format. */
const mostHeld = 20
const mostUnknown = 100

interface Held {
  readonly place: Place
  /** Absent where the line shows no format: only what it is like is kept. */
  readonly value?: unknown
  readonly like: string
}

/** Reads a file of a format that is not known yet; or of one that is. */
export const make = (given?: Shape.FormatName): Detecting => {
  let inner = given === undefined ? undefined : readerOf[given]()
  let found: Found = given === undefined ? { _tag: "Open" } : { _tag: "Known", format: given }
  let held: Array<Held> = []
  let unknown = 0

  const decide = (format: Shape.FormatName): ReadonlyArray<Item> => {
    const reader = readerOf[format]()
    inner = reader
    found = { _tag: "Known", format }
    const lines = held
    held = []
    return lines.flatMap((line) =>
      "value" in line
        ? reader.read(line.value, line.place)
        : [skipped(line.place, `The line is not of its file's format, ${Shape.titles[format]}: ${line.like}.`)]
    )
  }

  const giveUp = (): ReadonlyArray<Item> => {
    const [first] = held
    held = []
    found = first === undefined ? found : { _tag: "Unknown", first: first.like }
    return nothing
  }

  return {
    found: () => found,
    read: (value, place) => {
      if (inner !== undefined) return inner.read(value, place)
      if (found._tag === "Unknown") return nothing
      const shape = Shape.of(value)
      if (shape !== undefined && shape !== "messages") {
        const before = decide(shape)
        return before.length === 0 ? inner!.read(value, place) : [...before, ...inner!.read(value, place)]
      }
      held.push(shape === undefined ? { place, like: kindOf(value) } : { place, value, like: "" })
      if (shape === undefined) unknown += 1
      if (held.length - unknown < mostHeld && unknown < mostUnknown) return nothing
      return held.length === unknown ? giveUp() : decide("openai")
    },
    end: () => {
      if (inner !== undefined) return inner.end()
      if (found._tag === "Unknown" || held.length === unknown) return giveUp()
      const items = decide("openai")
      return [...items, ...inner!.end()]
    }
  }
}
