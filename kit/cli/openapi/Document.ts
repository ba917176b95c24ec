/** Reads an OpenAPI document: a file of JSON, or standard input. What is wrong with it is told in one line. */
import * as InputText from "#kit/cli/console/InputText"
import { lineOf, type Problem, problem } from "#kit/cli/console/Problem"
import * as Effect from "effect/Effect"

const howTo = "Give an OpenAPI document of version 3, as JSON."

/** The parsed document. `-`: standard input. */
export const read = (path: string): Effect.Effect<unknown, Problem> =>
  Effect.gen(function* () {
    const { name, text } = yield* InputText.read(path, howTo)
    return yield* Effect.try({
      try: () => JSON.parse(text.replace(/^\ufeff/, "")) as unknown,
      catch: (error) =>
        /^\s*(?:#[^\n]*\n\s*)*(?:openapi|swagger)\s*:/m.test(text.slice(0, 10_000))
          ? problem(`${name} is YAML.`, "Convert it to JSON first, with npx yaml --json for example.")
          : problem(`${name} is no JSON: ${lineOf(error)}.`, howTo)
    })
  })
