/**
 * Reads the bytes of a file or of standard input in chunks. Unpacks gzip, detected by its first bytes and not by the
 * file's name.
 *
 * **Gotchas**
 *
 * A chunk is valid only until the next chunk is requested, because both chunks may share a buffer.
 */
import { type FileHandle, open } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Problem, problem } from "#kit/cli/console/Problem"
import { foreignOf, isGzip } from "#kit/cli/console/FileSignature"
import * as InputPipe from "#kit/cli/console/InputPipe"
import { refusal } from "./Refusal.ts"

/** The number of bytes read so far, before unpacking. */
export interface Count {
  bytes: number
}

const chunkSize = 1024 * 1024

/** Reads a file, or standard input if the name is `-`. Throws `Problem`. */
export const chunks = async function* (name: string, count: Count): AsyncGenerator<Buffer> {
  try {
    const stream = name === "-" ? process.stdin : InputPipe.chunksOf(name)
    yield* unpack(name, stream === undefined ? ofFile(name, count) : countBytes(stream, count))
  } catch (error) {
    throw refusal(name, error)
  }
}

/** Reads the next chunk of a file while the consumer uses the current chunk. */
const ofFile = async function* (name: string, count: Count): AsyncGenerator<Buffer> {
  const file: FileHandle = await open(name, "r")
  const read = (buffer: Buffer) => {
    const reading = file.read(buffer, 0, chunkSize, null)
    reading.catch(() => undefined) // the error is reported when the read is awaited
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

/** Counts the bytes of a stream. */
const countBytes = async function* (stream: AsyncIterable<Buffer>, count: Count): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    count.bytes += chunk.length
    yield chunk
  }
}

/** Unpacks gzip. Throws `Problem` for other file types that it recognises. */
const unpack = async function* (name: string, raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const head = await first(raw)
  if (head === undefined) return
  const foreign = foreignOf(name, head)
  if (foreign !== undefined) {
    await raw.return(undefined)
    throw foreign
  }
  if (isGzip(head)) yield* gunzipped(name, head, raw)
  else {
    yield head
    yield* raw
  }
}

/** Reads the first chunk, of at least four bytes unless the file is shorter. */
const first = async (raw: AsyncGenerator<Buffer>): Promise<Buffer | undefined> => {
  let head: Buffer | undefined
  while (head === undefined || head.length < 4) {
    const { done, value } = await raw.next()
    if (done === true) return head
    head = head === undefined && value.length >= 4 ? value : Buffer.concat([head ?? Buffer.alloc(0), value])
  }
  return head
}

/** The number of bytes that any file may unpack to. */
const unpackedFreely = 128 * 1024 * 1024

/**
 * The maximum compression ratio of a file that unpacks to more. Logs that repeat the whole history in each line have
 * ratios up to about 100.
 */
const maxRatio = 200

const bomb = (name: string, packedBytes: number): Problem =>
  problem(
    `${name} unpacks to more than ${maxRatio} times its size: the first ${packedBytes} bytes to more than ${unpackedFreely / 1024 / 1024} MB.`,
    "If it is a log, unpack it first: gzip -dc FILE | toolguard … -"
  )

/** Unpacks gzip. Chunks are copied, because unpacking keeps them longer than their buffer is valid. */
const gunzipped = async function* (name: string, head: Buffer, raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize })
  let packedBytes = 0
  let unpacked = 0
  const copied = (chunk: Buffer): Buffer => {
    packedBytes += chunk.length
    return Buffer.from(chunk)
  }
  const packed = async function* () {
    yield copied(head)
    for await (const chunk of raw) yield copied(chunk)
  }
  const done = pipeline(Readable.from(packed(), { objectMode: false }), gunzip).catch(() => undefined)
  try {
    // without an encoding, `gunzip` yields buffers
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length
      if (unpacked > unpackedFreely && unpacked > maxRatio * packedBytes) throw bomb(name, packedBytes)
      yield chunk
    }
  } finally {
    gunzip.destroy()
    await done
  }
}
