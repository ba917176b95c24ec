/**
 * Reads a configuration, which contains a preset, the levels and options of rules, and suppressions.
 *
 * The schema is derived from the rules, so that the ids, levels and options of rules are checked.
 */
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { Options, Rule } from "#kit/lint/rules/Rule"
import { rules } from "./Rules.ts"
import { type Level, levels, type Preset, presets } from "#kit/lint/rules/Severity"

const Amount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const LevelSchema = Schema.Literals(levels)

/** Creates the schema of a rule's setting: a level or, if the rule has options, an object with a level and options. */
const settingOf = ({ options }: Rule) => {
  if (Object.keys(options).length === 0) return LevelSchema
  const fields = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      Schema.optionalKey(Amount.annotate({ description: `Default: ${value}.` }))
    ])
  )
  return Schema.Union([LevelSchema, Schema.Struct({ level: Schema.optionalKey(LevelSchema), ...fields })])
}

const IgnoreEntry = Schema.Struct({
  tool: Schema.String.annotate({ description: "The name of a tool. * matches any characters." }),
  rules: Schema.Array(Schema.Literals(rules.map(({ id }) => id))).check(Schema.isMinLength(1)),
  reason: Schema.String.annotate({
    description: "Why the finding is acceptable. Without a reason, the suppression has no effect."
  })
})

/** The schema of the file `toolguard.lint.json`, and of `toolguard.lint` in package.json. */
export const Config = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  preset: Schema.optionalKey(
    Schema.Literals(presets).annotate({
      description:
        "strict: every rule is an error, and some check more. Levels in `rules` take precedence. Default: default."
    })
  ),
  rules: Schema.optionalKey(
    Schema.Struct(
      Object.fromEntries(
        rules.map((rule) => [rule.id, Schema.optionalKey(settingOf(rule).annotate({ description: rule.title }))])
      )
    )
  ),
  ignore: Schema.optionalKey(Schema.Array(IgnoreEntry))
})

/** The effective configuration, which includes the defaults. */
export interface Settings {
  readonly preset: Preset
  readonly levelOf: (rule: Rule) => Level
  readonly optionsOf: (rule: Rule) => Options
  readonly ignore: ReadonlyArray<typeof IgnoreEntry.Type>
}

type Setting = Level | ({ readonly level?: Level } & Options)

/** The settings of a preset without a configuration. */
export const of = (preset: Preset): Settings => ({
  preset,
  levelOf: ({ severity }) => (preset === "strict" ? "error" : severity),
  optionsOf: ({ options }) => options,
  ignore: []
})

/** The settings without a configuration. */
export const defaults: Settings = of("default")

const decode = Schema.decodeUnknownResult(Schema.toCodecJson(Config), ArgumentIssues.argumentOptions)

/**
 * Reads a configuration. Fails with one line that says what is wrong. `preset` takes precedence over the preset of the
 * configuration.
 */
export const read = (value: unknown, preset?: Preset): Result.Result<Settings, string> => {
  if (!isJsonObject(value)) return Result.fail("a configuration must be an object")
  const decoded = decode(value)
  if (Result.isFailure(decoded)) {
    const issues = ArgumentIssues.fromIssue(decoded.failure.issue)
    return Result.fail(ArgumentIssues.mismatch(issues, { maxLength: 160, budget: 600 }).text)
  }
  // the schema was built from the rules at run time, so its type does not contain the ids
  const set = (decoded.success.rules ?? {}) as Readonly<Record<string, Setting | undefined>>
  const settingOf = ({ id }: Rule): { readonly level?: Level } & Options => {
    const setting = set[id]
    // the cast is needed because options are numbers and `level` is a string
    return typeof setting === "string" ? ({ level: setting } as never) : (setting ?? {})
  }
  const base = of(preset ?? decoded.success.preset ?? "default")
  return Result.succeed({
    preset: base.preset,
    levelOf: (rule) => settingOf(rule).level ?? base.levelOf(rule),
    optionsOf: (rule) => {
      const { level: _, ...options } = settingOf(rule)
      return { ...rule.options, ...options }
    },
    ignore: decoded.success.ignore ?? []
  })
}

/** Creates settings in which only one rule is on, with these options. */
export const only = (id: string, options: Options = {}, preset: Preset = "default"): Settings => ({
  preset,
  levelOf: (rule) => (rule.id === id ? of(preset).levelOf(rule) : "off"),
  optionsOf: (rule) => ({ ...rule.options, ...(rule.id === id ? options : {}) }),
  ignore: []
})
