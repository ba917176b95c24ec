/**
 * Splits chunks of bytes into lines. Empty lines are counted and left out.
 *
 * A line within one chunk is decoded in place; a line across several chunks is assembled once, when it is complete. The
 * text of a line of more than `maxBytes` bytes is discarded, and the line is reported without its text.
 */

/** The maximum number of bytes of a line, and of a file that is one JSON document. */
export const maxBytes = 64 * 1024 * 1024

/** The number of bytes of a line after which reading stops: such an input is a device or binary data, not a log. */
export const endless = 1_000_000_000

/** One line of the input. */
export interface Line {
  /** The text; undefined if the line is too long. */
  readonly text: string | undefined
  /** The number of the line, from 1. */
  readonly number: number
  /** True if the line has a line end; false for a last line without a line end. */
  readonly isEnded: boolean
}

/** A splitter that receives chunks and passes on lines. */
export interface Lines {
  /** Accepts a chunk, and passes each line that ends in it to `take`. */
  readonly push: (chunk: Buffer, take: (line: Line) => void) => void
  /** The number of bytes of the line that has not ended. */
  readonly unended: () => number
  /** Ends the input, and passes a last line without a line end to `take`. */
  readonly end: (take: (line: Line) => void) => void
}

const lineFeed = 0x0a

/** Empty lines, to skip many of them in one comparison. */
const emptyLines = Buffer.alloc(4_096, lineFeed)

/** Creates a splitter, which numbers the lines from 1. */
export const make = (): Lines => {
  let number = 0
  /** The pieces of an incomplete line. */
  let pieces: Array<Buffer> = []
  let length = 0

  const keep = (piece: Buffer): void => {
    length += piece.length
    if (length > maxBytes) pieces = []
    else pieces.push(Buffer.from(piece))
  }
  /** Counts and skips the empty lines from an offset, because a file may have a billion of them. */
  const skipEmpty = (chunk: Buffer, from: number): number => {
    let at = from
    if (chunk[at] === lineFeed)
      while (emptyLines.equals(chunk.subarray(at, at + emptyLines.length))) at += emptyLines.length
    while (chunk[at] === lineFeed) at++
    number += at - from
    return at
  }
  const assemble = (isEnded: boolean): Line => {
    const text = length > maxBytes ? undefined : Buffer.concat(pieces).toString("utf8")
    pieces = []
    length = 0
    return { text, number: (number += 1), isEnded }
  }

  return {
    push: (chunk, take) => {
      let from = 0
      if (length === 0) from = skipEmpty(chunk, from)
      for (let to = chunk.indexOf(lineFeed, from); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        if (length === 0) take({ text: chunk.toString("utf8", from, to), number: (number += 1), isEnded: true })
        else {
          keep(chunk.subarray(from, to))
          take(assemble(true))
        }
        from = skipEmpty(chunk, to + 1)
      }
      if (from < chunk.length) keep(chunk.subarray(from))
    },
    unended: () => length,
    end: (take) => {
      if (length > 0) take(assemble(false))
    }
  }
}
