/**
 * Reads named pipes, such as those of `<(command)`. A pipe that no program writes to is refused: opening it would wait
 * for a writer, and could not be interrupted.
 */
import { closeSync, constants, openSync, readSync, statSync } from "node:fs"
import { Socket } from "node:net"
import { problem } from "./Problem.ts"

const chunkBytes = 64 * 1024

/** Returns the bytes of a pipe in chunks; undefined if the path is not a pipe. Reading them can throw a `Problem`. */
export const chunksOf = (path: string): AsyncGenerator<Buffer> | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFIFO() === true ? read(path) : undefined

const read = async function* (path: string): AsyncGenerator<Buffer> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let first: Buffer | undefined
  try {
    first = available(descriptor)
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  if (first?.length === 0) {
    closeSync(descriptor)
    throw problem(`${path} is a pipe that no program writes to.`, "Start the program that writes to it first.")
  }
  const socket = new Socket({ fd: descriptor, readable: true, writable: false })
  try {
    if (first !== undefined) yield first
    for await (const chunk of socket) yield chunk as Buffer // a socket without an encoding yields buffers
  } finally {
    socket.destroy()
  }
}

/** Returns the bytes that a pipe holds: none if no program writes to it, and `undefined` if it holds nothing yet. */
const available = (descriptor: number): Buffer | undefined => {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  try {
    return chunk.subarray(0, readSync(descriptor, chunk))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return undefined
    throw error
  }
}
