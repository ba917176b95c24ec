/** Recognises files of types that cannot be read, by their first bytes. */
import { type Problem, problem } from "./Problem.ts"

/** The first bytes of files that cannot be read. */
const signatures: ReadonlyArray<readonly [name: string, remedy: string, bytes: ReadonlyArray<number>]> = [
  ["UTF-16 text", "Convert it to UTF-8.", [0xff, 0xfe]],
  ["UTF-16 text", "Convert it to UTF-8.", [0xfe, 0xff]],
  ["a zstd archive", "Unpack it first: zstd -dc FILE | toolguard … -", [0x28, 0xb5, 0x2f, 0xfd]],
  ["a zip archive", "Unpack it first, and name the files in it.", [0x50, 0x4b, 0x03, 0x04]],
  ["a bzip2 archive", "Unpack it first: bzip2 -dc FILE | toolguard … -", [0x42, 0x5a, 0x68]],
  ["an xz archive", "Unpack it first: xz -dc FILE | toolguard … -", [0xfd, 0x37, 0x7a, 0x58]],
  ["a SQLite database", "Export its records as JSON Lines first.", [0x53, 0x51, 0x4c, 0x69]],
  ["a Parquet file", "Export its rows as JSON Lines first.", [0x50, 0x41, 0x52, 0x31]]
]

const startsWith = (head: Buffer, bytes: ReadonlyArray<number>): boolean => bytes.every((byte, at) => head[at] === byte)

/** True if a file begins as gzip does. */
export const isGzip = (head: Buffer): boolean => startsWith(head, [0x1f, 0x8b])

/** Creates the problem of a gzip file that the command does not unpack. */
export const packed = (name: string): Problem =>
  problem(`${name} is compressed (gzip).`, "Unpack it first: gzip -dc FILE | toolguard … -")

/** Returns the problem of a file of another type; `undefined` for other files. */
export const foreignOf = (name: string, head: Buffer): Problem | undefined => {
  const found = signatures.find(([, , bytes]) => startsWith(head, bytes))
  return found === undefined ? undefined : problem(`${name} is ${found[0]}.`, found[1])
}
