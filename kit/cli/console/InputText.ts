/** Reads the input that a command line names: a file, or standard input for `-`. */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync } from "node:fs"
import { lineOf, type Problem, problem } from "./Problem.ts"

interface InputText {
  /** The name of the input in messages: the path, or `standard input`. */
  readonly name: string
  readonly isStandardInput: boolean
  readonly text: string
}

/** Reads the text. `howTo` is the remedy if the file does not exist. */
export const read = (path: string, howTo: string): Effect.Effect<InputText, Problem> =>
  Effect.gen(function* () {
    const isStandardInput = path === "-"
    const name = isStandardInput ? "standard input" : path
    if (!isStandardInput && !existsSync(path)) return yield* problem(`There is no file ${path}.`, howTo)
    if (!isStandardInput && statSync(path).isDirectory()) return yield* problem(`${path} is a folder.`, howTo)
    const text = yield* Effect.try({
      try: () => readFileSync(isStandardInput ? 0 : path, "utf8"),
      catch: (error) => problem(`Cannot read ${name}: ${lineOf(error)}`, "Give this user permission to read it.")
    })
    return { name, isStandardInput, text }
  })
