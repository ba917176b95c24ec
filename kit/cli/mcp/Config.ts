/** Reads the configuration of a proxy from a JSON file: policies by tool name or pattern, and the available tools. */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as LoopThresholds from "effect-toolguard/internal/domain/tool/LoopThresholds"
import * as Setting from "effect-toolguard/internal/domain/tool/Setting"
import { checkPolicies } from "effect-toolguard/internal/mcp/remote/RemoteTool"
import type { RemotePolicy } from "effect-toolguard/internal/tool/RemotePolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { readFileSync } from "node:fs"
import { lineOf, type Problem, problem, unreadable } from "#kit/cli/console/Problem"

/** A duration, such as `"30 seconds"`. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((text) => {
    // fromInput returns None for a string that is not a duration
    const duration = Duration.fromInput(text as Duration.Input)
    if (Option.isNone(duration) || !(Duration.toMillis(duration.value) > 0))
      return `expected a duration such as "30 seconds" or "5 minutes"`
    return Duration.toMillis(duration.value) > Setting.longestMillis
      ? `expected a duration of at most 24 days, such as "30 seconds"`
      : undefined
  })
)

const atLeastOne = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const atLeastTwo = Schema.Int.check(Schema.isGreaterThanOrEqualTo(2))

const LoopConfig = Schema.Struct({
  identical: Schema.optionalKey(atLeastTwo),
  cycles: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: LoopThresholds.maxCycles }))),
  sameFailure: Schema.optionalKey(atLeastTwo),
  noProgress: Schema.optionalKey(atLeastTwo),
  repeats: Schema.optionalKey(atLeastOne)
})

const PollConfig = Schema.Struct({
  interval: DurationText,
  deadline: DurationText,
  until: Schema.Struct({
    path: Schema.String,
    in: Schema.Array(Schema.Union([Schema.String, Schema.Number, Schema.Boolean, Schema.Null]))
  })
})

const ToolConfig = Schema.Struct({
  access: Schema.optionalKey(Schema.Literals(["read", "write", "destructive"])),
  approval: Schema.optionalKey(Schema.Literals(["auto", "inform", "confirm", "block"])),
  budget: Schema.optionalKey(atLeastOne),
  concurrency: Schema.optionalKey(atLeastOne),
  critical: Schema.optionalKey(Schema.Boolean),
  deadline: Schema.optionalKey(DurationText),
  enforce: Schema.optionalKey(
    Schema.Union([Schema.Literals(["enforce", "advise"]), Schema.Struct({ share: Schema.Finite })])
  ),
  idempotency: Schema.optionalKey(Schema.Literals(["none", "derived"])),
  loop: Schema.optionalKey(LoopConfig),
  poll: Schema.optionalKey(Schema.Union([Schema.Literal(false), PollConfig])),
  repeats: Schema.optionalKey(Schema.Literals(["once", "allowed"])),
  retry: Schema.optionalKey(Schema.Struct({ attempts: atLeastOne })),
  timeout: Schema.optionalKey(DurationText)
})

const File = Schema.Struct({
  allow: Schema.optionalKey(Schema.Array(Schema.String)),
  deny: Schema.optionalKey(Schema.Array(Schema.String)),
  tools: Schema.optionalKey(Schema.Record(Schema.String, ToolConfig))
})

/** The parsed configuration. */
export interface Config {
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  readonly tools?: Readonly<Record<string, RemotePolicy>>
}

const example = `{ "deny": ["delete_*"], "tools": { "read_*": { "access": "read", "timeout": "10 seconds" } } }`
const remedy = `Write JSON such as ${example}.`

const decode = Schema.decodeUnknownResult(File)
const pathsOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Reads the file. */
export const read = (file: string): Effect.Effect<Config, Problem> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: (error) => unreadable(file, error, remedy)
    })
    const parsed = JsonText.parse(text, JsonText.argumentLimits)
    if (Result.isFailure(parsed)) {
      const { column, line, message } = parsed.failure
      return yield* problem(`${file}:${line}:${column} is not valid JSON: ${message}.`, remedy)
    }
    const decoded = decode(parsed.success, { onExcessProperty: "error", errors: "all" })
    if (Result.isSuccess(decoded)) {
      // durations stay strings, which a policy accepts
      const config = decoded.success as Config
      yield* Effect.try({
        try: () => checkPolicies(config.tools ?? {}),
        catch: (error) => problem(`${file}: tools.${lineOf(error)}`, "")
      })
      return config
    }
    const [first] = pathsOf(decoded.failure.issue).issues
    const path = (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
    const message = first?.message ?? "invalid configuration"
    const fault = message === "Expected no excess property" ? "unknown field" : message.replaceAll("\n", " ")
    return yield* problem(`${file}: ${path === "" ? "" : `${path}: `}${fault}.`, remedy)
  })
