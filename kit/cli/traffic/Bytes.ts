/**
 * The bytes of a file or of standard input, in chunks, unpacked where they are gzip: told by its first bytes, whatever the
 * name says.
 *
 * **Gotchas**
 *
 * A chunk is valid until the next one is asked for: they share one buffer.
 */
import { type FileHandle, open } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Problem, problem } from "#kit/cli/console/Problem"
import { refusal } from "./Refusal.ts"

/** Counts the bytes that were read, as they lie on the disk. */
export interface Count {
  bytes: number
}

const chunkSize = 1024 * 1024

/** Reads a file, or standard input where the name is `-`. Throws `Problem`. */
export const chunks = async function* (name: string, count: Count): AsyncGenerator<Buffer> {
  try {
    yield* unpacked(name, name === "-" ? counted(process.stdin, count) : ofFile(name, count))
  } catch (error) {
    throw refusal(name, error)
  }
}

/** Reads the next chunk while the last one is in use. */
const ofFile = async function* (name: string, count: Count): AsyncGenerator<Buffer> {
  const file: FileHandle = await open(name, "r")
  const read = (buffer: Buffer) => {
    const reading = file.read(buffer, 0, chunkSize, null)
    reading.catch(() => undefined) // told when it is awaited, which may be a while
    return reading
  }
  let spare: Buffer = Buffer.allocUnsafe(chunkSize)
  let next = read(Buffer.allocUnsafe(chunkSize))
  try {
    for (;;) {
      const { buffer, bytesRead } = await next
      if (bytesRead === 0) return
      next = read(spare)
      spare = buffer
      count.bytes += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await next.catch(() => undefined)
    await file.close()
  }
}

const counted = async function* (stream: AsyncIterable<Buffer>, count: Count): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    count.bytes += chunk.length
    yield chunk
  }
}

const unpacked = async function* (name: string, raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const head = await first(raw)
  if (head === undefined) return
  const foreign = foreignOf(name, head)
  if (foreign !== undefined) {
    await raw.return(undefined)
    throw foreign
  }
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(head, raw)
  else {
    yield head
    yield* raw
  }
}

/** The first chunk, of two bytes at least where there are as many. */
const first = async (raw: AsyncGenerator<Buffer>): Promise<Buffer | undefined> => {
  let head: Buffer | undefined
  while (head === undefined || head.length < 4) {
    const { done, value } = await raw.next()
    if (done === true) return head
    head = head === undefined && value.length >= 4 ? value : Buffer.concat([head ?? Buffer.alloc(0), value])
  }
  return head
}

const gunzipped = async function* (head: Buffer, raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize })
  const packed = async function* () {
    yield Buffer.from(head)
    for await (const chunk of raw) yield Buffer.from(chunk)
  }
  const done = pipeline(Readable.from(packed(), { objectMode: false }), gunzip).catch(() => undefined)
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } finally {
    gunzip.destroy()
    await done
  }
}

const starts: ReadonlyArray<readonly [what: string, remedy: string, bytes: ReadonlyArray<number>]> = [
  ["UTF-16 text", "Write it as UTF-8.", [0xff, 0xfe]],
  ["UTF-16 text", "Write it as UTF-8.", [0xfe, 0xff]],
  ["a zstd archive", "Unpack it first: zstd -dc FILE | toolguard … -", [0x28, 0xb5, 0x2f, 0xfd]],
  ["a zip archive", "Unpack it first, and name the files in it.", [0x50, 0x4b, 0x03, 0x04]],
  ["a bzip2 archive", "Unpack it first: bzip2 -dc FILE | toolguard … -", [0x42, 0x5a, 0x68]],
  ["an xz archive", "Unpack it first: xz -dc FILE | toolguard … -", [0xfd, 0x37, 0x7a, 0x58]],
  ["an SQLite database", "Write its records as JSON Lines first.", [0x53, 0x51, 0x4c, 0x69]],
  ["a Parquet file", "Write its rows as JSON Lines first.", [0x50, 0x41, 0x52, 0x31]]
]

/** What a file is that is none of ours, by how it begins. */
const foreignOf = (name: string, head: Buffer): Problem | undefined => {
  const found = starts.find(([, , bytes]) => bytes.every((byte, at) => head[at] === byte))
  return found === undefined ? undefined : problem(`${name} is ${found[0]}.`, found[1])
}
