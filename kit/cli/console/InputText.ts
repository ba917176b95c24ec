/** Reads the input that a command line names: a file, or standard input for `-`. Its size has a limit. */
import * as Effect from "effect/Effect"
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { missingFile, type Problem, problem, unreadable } from "./Problem.ts"

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

/** Reads a file up to the limit. Returns undefined if it is larger. */
export const readWithin = (file: string | number): string | undefined => {
  const descriptor = typeof file === "number" ? file : openSync(file, "r")
  try {
    const chunks: Array<Buffer> = []
    for (let length = 0; length <= maxBytes;) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const bytes = readSync(descriptor, chunk)
      if (bytes === 0) return Buffer.concat(chunks).toString("utf8")
      chunks.push(chunk.subarray(0, bytes))
      length += bytes
    }
    return undefined
  } finally {
    if (typeof file === "string") closeSync(descriptor)
  }
}

/** Reads the text. `howTo` is the remedy if the path is a folder. */
export const read = (path: string, howTo: string): Effect.Effect<InputText, Problem> =>
  Effect.gen(function* () {
    const isStandardInput = path === "-"
    const name = isStandardInput ? "standard input" : path
    if (!isStandardInput && !existsSync(path)) return yield* missingFile(path)
    if (!isStandardInput && statSync(path).isDirectory()) return yield* problem(`${path} is a folder.`, howTo)
    const text = yield* Effect.try({
      try: () => readWithin(isStandardInput ? 0 : path),
      catch: (error) => unreadable(name, error, "Give this user permission to read it.")
    })
    if (text === undefined) return yield* tooLarge(name)
    return { name, isStandardInput, text }
  })

/** Creates the problem of an input that exceeds the limit. */
export const tooLarge = (name: string): Problem =>
  problem(`${name} has more than ${maxMegabytes} MB.`, "Split it into several files.")
