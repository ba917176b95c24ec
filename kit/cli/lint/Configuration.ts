/**
 * Finds and reads the linter's configuration. Without --config, it is the nearest `toolguard.lint.json`, or
 * `package.json` with `toolguard.lint`, in the working directory or one of its parents.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { field, isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { head, type Region } from "#kit/lint/report/Report"
import type { Preset } from "#kit/lint/rules/Severity"
import * as Settings from "#kit/lint/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { lineOf, missingFile, misuse, type Problem } from "#kit/cli/console/Problem"
import { regions } from "./Sources.ts"

/** The configuration of a lint, with the places of its parts. */
export interface Configuration {
  readonly settings: Settings.Settings
  /** The file; empty if no file was found. */
  readonly file: string
  readonly regionOf: (pointer: JsonPointer) => Region
}

const none = (preset: Preset | undefined): Configuration => ({
  settings: Settings.of(preset ?? "default"),
  file: "",
  regionOf: () => head
})

const remedy = "toolguard lint --rules lists the rules; --explain RULE shows the options of a rule."

/**
 * Reads the configuration that --config names, otherwise the configuration of the working directory. `preset` takes
 * precedence over the preset of the configuration.
 */
export const find = (config: Option.Option<string>, preset?: Preset): Effect.Effect<Configuration, Problem> =>
  Effect.gen(function* () {
    if (Option.isSome(config)) {
      if (!existsSync(config.value)) return yield* missingFile(config.value, 2)
      return yield* read(config.value, config.value.endsWith("package.json"), preset)
    }
    for (let folder = process.cwd(); ; folder = dirname(folder)) {
      const file = join(folder, "toolguard.lint.json")
      if (existsSync(file)) return yield* read(file, false, preset)
      const manifest = join(folder, "package.json")
      if (existsSync(manifest) && hasSection(manifest)) return yield* read(manifest, true, preset)
      if (folder === dirname(folder)) return none(preset)
    }
  })

/** Returns true if a manifest has `toolguard.lint`; false if the manifest cannot be read. */
const hasSection = (manifest: string): boolean => {
  try {
    return field(field(JSON.parse(readFileSync(manifest, "utf8")), "toolguard"), "lint") !== undefined
  } catch {
    return false
  }
}

const read = (path: string, isManifest: boolean, preset: Preset | undefined): Effect.Effect<Configuration, Problem> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (error) => misuse(`Cannot read ${path}: ${lineOf(error)}`, "Choose another configuration.")
    })
    const file = relative(process.cwd(), path) || path
    const parsed = JsonText.parse(text, JsonText.resultLimits)
    if (Result.isFailure(parsed)) {
      const { column, line, message } = parsed.failure
      return yield* misuse(`${file}:${line}:${column} is not valid JSON: ${message}.`, "Correct the configuration.")
    }
    const document = parsed.success
    const section = isManifest ? field(field(document, "toolguard"), "lint") : document
    if (!isJsonObject(section)) return yield* misuse(`${file} is not a configuration: it is not an object.`, remedy)
    const settings = Settings.read(section, preset)
    if (Result.isFailure(settings)) return yield* misuse(`${file}: ${settings.failure}`, remedy)
    const regionOf = regions(text)
    const prefix = isManifest ? ["toolguard", "lint"] : []
    return { settings: settings.success, file, regionOf: (pointer) => regionOf([...prefix, ...pointer]) }
  })
