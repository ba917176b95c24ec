/** Writes the hostile files that are too large to be written from one text. */
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createGzip } from "node:zlib"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { Readable } from "node:stream"

/** Writes pieces of text to a file, and returns its path. */
export const write = (folder: string, name: string, pieces: Iterable<string>): string => {
  const path = join(folder, name)
  const file = openSync(path, "w")
  for (const piece of pieces) writeSync(file, piece)
  closeSync(file)
  return path
}

/** Compresses pieces of text to a file, and returns its path. */
export const compress = async (folder: string, name: string, pieces: Iterable<string>): Promise<string> => {
  const path = join(folder, name)
  await pipeline(Readable.from(pieces, { objectMode: false }), createGzip({ level: 1 }), createWriteStream(path))
  return path
}

/** Repeats a text, in pieces of about a megabyte. */
export const repeated = function* (text: string, count: number): Generator<string> {
  const each = Math.max(1, Math.floor(1_000_000 / text.length))
  for (let done = 0; done < count; done += each) yield text.repeat(Math.min(each, count - done))
}

/** Joins texts that depend on their number, in pieces of a thousand. */
export const numbered = function* (count: number, make: (n: number) => string, separator = ","): Generator<string> {
  for (let from = 0; from < count; from += 1_000) {
    const texts = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => make(from + n))
    yield `${from === 0 ? "" : separator}${texts.join(separator)}`
  }
}

/** Puts a text before and after pieces. */
export const between = function* (before: string, pieces: Iterable<string>, after: string): Generator<string> {
  yield before
  yield* pieces
  yield after
}
