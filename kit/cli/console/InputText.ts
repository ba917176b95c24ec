/** Reads the input that a command line names: a file, or standard input for `-`. Its size has a limit. */
import * as Effect from "effect/Effect"
import { createReadStream, statSync } from "node:fs"
import { addAbortSignal } from "node:stream"
import { foreignOf, isGzip, packed } from "./FileSignature.ts"
import * as InputPipe from "./InputPipe.ts"
import { Problem, problem, unreadable } from "./Problem.ts"

interface InputText {
  /** The name of the input in messages: the path, or `standard input`. */
  readonly name: string
  readonly isStandardInput: boolean
  readonly text: string
}

/** The maximum size of an input, in megabytes. The limits of parsed texts are lower. */
const maxMegabytes = 32

const maxBytes = maxMegabytes * 1024 * 1024
const chunkBytes = 1024 * 1024

const problemOf = (name: string, error: unknown): Problem =>
  error instanceof Problem
    ? error
    : unreadable(name, error, "Choose another file, or give this user permission to read it.")

/** Reads a file, or standard input for `-`, up to the limit. Reading can be interrupted. */
export const readWithin = (path: string): Effect.Effect<string, Problem> => {
  const name = nameOf(path)
  return Effect.tryPromise({
    try: async (signal) => {
      const chunks: Array<Buffer> = []
      let length = 0
      for await (const chunk of streamOf(path, signal)) {
        chunks.push(chunk)
        length += chunk.length
        if (length > maxBytes) throw tooLarge(name)
      }
      const bytes = Buffer.concat(chunks)
      const foreign = isGzip(bytes) ? packed(name) : foreignOf(name, bytes)
      if (foreign !== undefined) throw foreign
      return bytes.toString("utf8")
    },
    catch: (error) => problemOf(name, error)
  })
}

const streamOf = (path: string, signal: AbortSignal): AsyncIterable<Buffer> => {
  if (path === "-") return addAbortSignal(signal, process.stdin)
  // a stream without an encoding yields buffers
  return (
    InputPipe.chunksOf(path) ?? (createReadStream(path, { highWaterMark: chunkBytes, signal }) as AsyncIterable<Buffer>)
  )
}

const nameOf = (path: string): string => (path === "-" ? "standard input" : path)

/** Reads the text. `howTo` is the remedy if the path is a folder. */
export const read = (path: string, howTo: string): Effect.Effect<InputText, Problem> =>
  Effect.gen(function* () {
    const isStandardInput = path === "-"
    const isFolder = Effect.try({
      try: () => !isStandardInput && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
      catch: (error) => problemOf(path, error)
    })
    if (yield* isFolder) return yield* problem(`${path} is a folder.`, howTo)
    return { name: nameOf(path), isStandardInput, text: yield* readWithin(path) }
  })

/** Creates the problem of an input that exceeds the limit. */
const tooLarge = (name: string): Problem =>
  problem(`${name} has more than ${maxMegabytes} MB.`, "Split it into several files.")
