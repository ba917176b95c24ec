/** Defines the flags that say how files of recorded traffic are read: `--format`, or `--map` with a mapping. */
import * as Format from "#kit/traffic/Format"
import * as Mapping from "#kit/traffic/Mapping"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { lineOf, misuse, type Problem, problem, unreadable } from "#kit/cli/console/Problem"
import type * as Traffic from "./Traffic.ts"

/** The flags `--format` and `--map`. */
export const flags = {
  format: Flag.Literals("format", Format.names).pipe(
    Flag.withDescription("Format of all files. Default: detected per file"),
    Flag.optional
  ),
  map: Flag.String("map").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("JSON file of the paths by which lines of any other form are read"),
    Flag.optional
  )
}

/** The values of the flags. */
export interface Options {
  readonly format: Option.Option<Format.FormatName>
  readonly map: Option.Option<string>
}

const howTo = `Write it like this: {"role":"kind","text":"body","calls":{"name":"tool","arguments":"args"}}`

/** Reads the mapping, if one is named. */
export const read = ({ format, map }: Options): Effect.Effect<Traffic.Options, Problem> => {
  if (Option.isNone(map)) return Effect.succeed({ format: Option.getOrUndefined(format) })
  if (Option.isSome(format)) return Effect.fail(misuse("--format and --map cannot be combined.", "Leave one out."))
  const file = map.value
  return Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => unreadable(file, error, "Name a file with a mapping.")
    })
    const value = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (error) => problem(`${file} is not JSON: ${lineOf(error)}`, howTo)
    })
    const mapping = Mapping.read(value)
    return mapping._tag === "Failure"
      ? yield* problem(`${file} is not a mapping: ${mapping.failure}`, howTo)
      : { mapping: mapping.success }
  })
}
