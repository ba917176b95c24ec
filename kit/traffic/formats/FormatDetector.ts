/**
 * Detects the format of a file from its lines, and reads the lines.
 *
 * The first line whose format is certain decides. Until then up to twenty lines of chat messages that fit several
 * formats, and up to a hundred lines without a known format, are buffered. If no line decides, the file is read as
 * OpenAI chat messages; if there are no chat messages, detection gives up.
 */
import { kindOf, unexpected } from "#kit/traffic/ChatLog"
import type { Place } from "#kit/traffic/Conversation"
import type { Mapping } from "#kit/traffic/Mapping"
import { withNamedCalls } from "#kit/traffic/NamedCalls"
import { withWrittenCalls } from "#kit/traffic/WrittenCalls"
import * as Mapped from "./Mapped.ts"
import { readerOf } from "./Readers.ts"
import { type Item, nothing, type Reader } from "#kit/traffic/Reader"
import * as Format from "#kit/traffic/Format"

/** The state of the detection. */
type Detection =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Known"; readonly format: Format.FormatName }
  /** The lines are read by a mapping. */
  | { readonly _tag: "Mapped" }
  /** `first` describes the first line. */
  | { readonly _tag: "Unknown"; readonly first: string }

/** A reader that reports the detected format. */
interface DetectingReader extends Reader {
  readonly found: () => Detection
}

/** The number of ambiguous lines after which the file is read as OpenAI chat messages. */
const maxBuffered = 20

/** The number of lines without a known format after which the format is decided, or detection gives up. */
const maxUnknown = 100

interface BufferedLine {
  readonly place: Place
  /** The value of the line. Absent if the line has no known format: then only its kind is kept. */
  readonly value?: unknown
  readonly kind: string
}

/** Creates the reader of a file by a mapping. */
export const mapped = (mapping: Mapping): DetectingReader => ({
  ...withWrittenCalls(withNamedCalls(() => Mapped.reader(mapping)))(),
  found: () => ({ _tag: "Mapped" })
})

/** Creates the reader of a file. The reader detects the format if `knownFormat` is absent. */
export const make = (knownFormat?: Format.FormatName): DetectingReader => {
  let inner = knownFormat === undefined ? undefined : readerOf[knownFormat]()
  let found: Detection = knownFormat === undefined ? { _tag: "Open" } : { _tag: "Known", format: knownFormat }
  let buffered: Array<BufferedLine> = []
  let unknown = 0

  const decide = (format: Format.FormatName): ReadonlyArray<Item> => {
    const reader = readerOf[format]()
    inner = reader
    found = { _tag: "Known", format }
    const lines = buffered
    buffered = []
    return lines.flatMap((line) =>
      "value" in line ? reader.read(line.value, line.place) : [unexpected(format, line.kind, line.place)]
    )
  }

  const giveUp = (): ReadonlyArray<Item> => {
    const [first] = buffered
    buffered = []
    found = first === undefined ? found : { _tag: "Unknown", first: first.kind }
    return nothing
  }

  return {
    found: () => found,
    read: (value, place) => {
      if (inner !== undefined) return inner.read(value, place)
      if (found._tag === "Unknown") return nothing
      const format = Format.of(value)
      if (format !== undefined && format !== "messages") {
        const before = decide(format) // sets `inner`
        return before.length === 0 ? inner!.read(value, place) : [...before, ...inner!.read(value, place)]
      }
      buffered.push(format === undefined ? { place, kind: kindOf(value) } : { place, value, kind: "" })
      if (format === undefined) unknown += 1
      if (buffered.length - unknown < maxBuffered && unknown < maxUnknown) return nothing
      return buffered.length === unknown ? giveUp() : decide("openai")
    },
    end: () => {
      if (inner !== undefined) return inner.end()
      if (found._tag === "Unknown" || buffered.length === unknown) return giveUp()
      const items = decide("openai")
      return [...items, ...inner!.end()] // `decide` has set `inner`
    }
  }
}
