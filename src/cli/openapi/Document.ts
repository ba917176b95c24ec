/** Reads an OpenAPI document: a file of JSON, or standard input. What is wrong with it is told in one line. */
import { lineOf, type Problem, problem } from "#src/cli/Problem"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync } from "node:fs"

const howTo = "Give an OpenAPI document of version 3, as JSON."

/** The parsed document. `-`: standard input. */
export const read = (path: string): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const isInput = path === "-"
    const name = isInput ? "standard input" : path
    if (!isInput && !existsSync(path)) return yield* problem(`There is no file ${path}.`, howTo)
    if (!isInput && statSync(path).isDirectory()) return yield* problem(`${path} is a folder.`, howTo)
    const text = yield* Effect.try({
      try: () => readFileSync(isInput ? 0 : path, "utf8"),
      catch: (error) => problem(`Cannot read ${name}: ${lineOf(error)}`, "Give this user the right to read it.")
    })
    return yield* Effect.try({
      try: () => JSON.parse(text.replace(/^\ufeff/, "")) as unknown,
      catch: (error) =>
        /^\s*(?:#[^\n]*\n\s*)*(?:openapi|swagger)\s*:/m.test(text.slice(0, 10_000))
          ? problem(`${name} is YAML.`, "Convert it to JSON first, with npx yaml --json for example.")
          : problem(`${name} is no JSON: ${lineOf(error)}.`, howTo)
    })
  })
