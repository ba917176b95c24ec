/** Reads what a command line names: a file, or standard input for `-`. What cannot be read is told in one line. */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync } from "node:fs"
import { lineOf, type Problem, problem } from "./Problem.ts"

interface GivenText {
  /** As it is told of: the path, or `standard input`. */
  readonly name: string
  readonly isInput: boolean
  readonly text: string
}

/** The text. `howTo`: what to give instead where there is no such file. */
export const read = (path: string, howTo: string): Effect.Effect<GivenText, Problem> =>
  Effect.gen(function* () {
    const isInput = path === "-"
    const name = isInput ? "standard input" : path
    if (!isInput && !existsSync(path)) return yield* problem(`There is no file ${path}.`, howTo)
    if (!isInput && statSync(path).isDirectory()) return yield* problem(`${path} is a folder.`, howTo)
    const text = yield* Effect.try({
      try: () => readFileSync(isInput ? 0 : path, "utf8"),
      catch: (error) => problem(`Cannot read ${name}: ${lineOf(error)}`, "Give this user the right to read it.")
    })
    return { name, isInput, text }
  })
