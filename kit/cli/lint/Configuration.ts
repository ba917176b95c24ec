/**
 * Finds and reads the linter's configuration: the file that is named, else the nearest `toolguard.lint.json` or
 * `package.json` with `toolguard.lint`, from the folder of the command upwards.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { field, isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { head, type Region } from "#kit/lint/report/Report"
import * as Settings from "#kit/lint/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { lineOf, misuse, type Problem } from "#kit/cli/console/Problem"
import { regions } from "./Sources.ts"

export interface Configuration {
  readonly settings: Settings.Settings
  /** The file; empty where there is none. */
  readonly file: string
  readonly regionOf: (pointer: JsonPointer) => Region
}

const none: Configuration = { settings: Settings.defaults, file: "", regionOf: () => head }

const remedy = "See toolguard lint --rules for the rules, and --explain RULE for the options of one."

/** The configuration that holds here. */
export const find = (given: Option.Option<string>): Effect.Effect<Configuration, Problem> =>
  Effect.gen(function* () {
    if (Option.isSome(given)) {
      if (!existsSync(given.value)) return yield* misuse(`There is no file ${given.value}.`, "Name the configuration.")
      return yield* read(given.value, given.value.endsWith("package.json"))
    }
    for (let folder = process.cwd(); ; folder = dirname(folder)) {
      const own = join(folder, "toolguard.lint.json")
      if (existsSync(own)) return yield* read(own, false)
      const manifest = join(folder, "package.json")
      if (existsSync(manifest) && hasSection(manifest)) return yield* read(manifest, true)
      if (folder === dirname(folder)) return none
    }
  })

/** A manifest that cannot be read is none of ours. */
const hasSection = (manifest: string): boolean => {
  try {
    return field(field(JSON.parse(readFileSync(manifest, "utf8")), "toolguard"), "lint") !== undefined
  } catch {
    return false
  }
}

const read = (path: string, isManifest: boolean): Effect.Effect<Configuration, Problem> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => misuse(`Cannot read ${path}: ${lineOf(error)}`, "Name another configuration.")
    })
    const file = relative(process.cwd(), path) || path
    const parsed = JsonText.parse(text, JsonText.resultLimits)
    if (Result.isFailure(parsed)) {
      const { column, line, message } = parsed.failure
      return yield* misuse(`${file}:${line}:${column} is no JSON: ${message}.`, "Correct the configuration.")
    }
    const document = parsed.success
    const section = isManifest ? field(field(document, "toolguard"), "lint") : document
    if (!isJsonObject(section)) return yield* misuse(`${file} holds no configuration: it is no object.`, remedy)
    const settings = Settings.read(section)
    if (Result.isFailure(settings)) return yield* misuse(`${file}: ${settings.failure}`, remedy)
    const regionOf = regions(text)
    const prefix = isManifest ? ["toolguard", "lint"] : []
    return { settings: settings.success, file, regionOf: (pointer) => regionOf([...prefix, ...pointer]) }
  })
