/**
 * Cuts chunks of bytes into lines.
 *
 * A line within one chunk is read where it lies; one over several is put together once, when it ends. Lines of more than
 * `longest` bytes are not kept: only that they were there is told.
 */

/** Most bytes of a line, and of a file that is one JSON document. */
export const longest = 64 * 1024 * 1024

export interface Line {
  /** `undefined` where the line is too long. */
  readonly text: string | undefined
  /** Counts from 1. */
  readonly number: number
  /** False for the last line where no line end follows. */
  readonly isEnded: boolean
}

export interface Lines {
  /** Takes a chunk, and gives each line that ends in it to `take`. */
  readonly push: (chunk: Buffer, take: (line: Line) => void) => void
  /** Takes the end, and gives the last line where no line end follows. */
  readonly end: (take: (line: Line) => void) => void
}

const lineFeed = 0x0a

/** Makes a cutter. `before` are lines that were cut already. */
export const make = (before = 0): Lines => {
  let number = before
  /** The beginning of a line, in pieces. */
  let pieces: Array<Buffer> = []
  let length = 0

  const keep = (piece: Buffer): void => {
    length += piece.length
    if (length > longest) pieces = []
    else pieces.push(Buffer.from(piece))
  }
  const taken = (isEnded: boolean): Line => {
    const text = length > longest ? undefined : Buffer.concat(pieces).toString("utf8")
    pieces = []
    length = 0
    return { text, number: (number += 1), isEnded }
  }

  return {
    push: (chunk, take) => {
      let from = 0
      for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
        if (length === 0) take({ text: chunk.toString("utf8", from, to), number: (number += 1), isEnded: true })
        else {
          keep(chunk.subarray(from, to))
          take(taken(true))
        }
        from = to + 1
      }
      if (from < chunk.length) keep(chunk.subarray(from))
    },
    end: (take) => {
      if (length > 0) take(taken(false))
    }
  }
}
