/** `toolguard lint`: checks the tool definitions that a model reads. */
import * as JsonReport from "#kit/lint/report/JsonReport"
import * as RulePage from "#kit/lint/report/RulePage"
import { counts, type Report } from "#kit/lint/report/Report"
import { byId, ids, rules as allRules } from "#kit/lint/Rules"
import * as Sarif from "#kit/lint/report/Sarif"
import { isAtLeast, severities, type Severity } from "#kit/lint/rules/Severity"
import { counted } from "#kit/text/Numbers"
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import * as Configuration from "./Configuration.ts"
import * as Linting from "./Linting.ts"
import * as Sources from "./Sources.ts"
import * as Text from "./Text.ts"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"
import * as Variables from "#kit/cli/console/Variables"
import { version } from "#kit/Version"

const off = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(`${description}. Default: false`), Flag.withDefault(false))

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const flags = {
  sources: Argument.String("files").pipe(
    Argument.withDescription("JSON lists (- for standard input) or modules; with --mcp, a command"),
    Argument.variadic()
  ),
  mcp: off("mcp", "Read the list of an MCP server; its command follows --"),
  env: Variables.env,
  timeout: Flag.Int("timeout").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 }))),
    Flag.withMetavar("<seconds>"),
    Flag.withDescription("Time limit for the server to list its tools. Default: 30"),
    Flag.withDefault(30)
  ),
  together: off("together", "Lint all files as one list, as one agent reads them"),
  level: Flag.Literals("level", severities).pipe(
    Flag.withDescription("Lowest severity to print. Default: warning"),
    Flag.withDefault("warning" as const)
  ),
  failOn: Flag.Literals("fail-on", severities).pipe(
    Flag.withDescription("Lowest severity that fails. Default: error"),
    Flag.withDefault("error" as const)
  ),
  maxWarnings: Flag.Int("max-warnings").pipe(
    Flag.withSchema(count),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Fail if there are more warnings than this. Default: unlimited"),
    Flag.optional
  ),
  config: Flag.String("config").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Configuration file. Default: the nearest, see above"),
    Flag.optional
  ),
  strict: off("strict", "Use the preset strict, in which every rule is an error"),
  fix: off("fix", "Correct JSON lists where safe, and print each change"),
  dryRun: off("dry-run", "With --fix: print the changes without writing them"),
  format: Flag.Literals("format", ["text", "json", "sarif"]).pipe(
    Flag.withDescription("Output format. Default: text"),
    Flag.optional
  ),
  json,
  sarif: off("sarif", "Print one SARIF 2.1.0 document and nothing else"),
  rules: off("rules", "List the rules"),
  explain: Flag.String("explain").pipe(
    Flag.withMetavar("<rule>"),
    Flag.withDescription("Show the page of a rule: reason, examples, options"),
    Flag.optional
  )
}

const listRules = Effect.gen(function* () {
  const screen = yield* Screen.make(false)
  for (const { id, severity, title } of allRules) {
    screen.line(`${screen.styled("bold", id)}  ${severity}`)
    for (const line of Screen.wrap(title, Math.min(screen.columns, 100) - 2)) screen.line(`  ${line}`)
  }
})

const explain = (id: string) => {
  const rule = byId.get(id)
  if (rule !== undefined) return Console.log(RulePage.page(rule).trimEnd())
  const [near] = nearest(id, ids)
  return misuse(
    `There is no rule ${Screen.plain(id)}.`,
    near === undefined ? "List the rules with toolguard lint --rules." : `Nearest: ${near}.`
  )
}

/** Reads the files, or the list of the server. */
const sourcesOf = (options: {
  readonly sources: ReadonlyArray<string>
  readonly mcp: boolean
  readonly env: ReadonlyArray<string>
  readonly timeout: number
}) => {
  const timeout = Duration.seconds(options.timeout)
  if (options.sources.length === 0) {
    return misuse(
      options.mcp ? "No command is named." : "No file is named.",
      options.mcp
        ? "Write toolguard lint --mcp -- COMMAND ARGS…"
        : "Write toolguard lint tools.json, or toolguard lint --mcp -- COMMAND ARGS…"
    )
  }
  return options.mcp
    ? Effect.flatMap(Variables.forServer(options.env), (variables) =>
        Effect.map(
          Sources.server(options.sources, timeout, inWords(Duration.toMillis(timeout)), variables),
          (source) => [source]
        )
      )
    : Effect.forEach(options.sources, Sources.file)
}

/** Returns the output format. Fails if the flags ask for different formats. */
const formatOf = (options: {
  readonly format: Option.Option<"text" | "json" | "sarif">
  readonly json: boolean
  readonly sarif: boolean
}) => {
  const formats = new Set([
    ...Option.toArray(options.format),
    ...(options.json ? ["json" as const] : []),
    ...(options.sarif ? ["sarif" as const] : [])
  ])
  const [format = "text"] = formats
  return formats.size > 1
    ? misuse("The flags ask for two formats.", "Choose one: --format text, json or sarif.")
    : Effect.succeed(format)
}

/** Fails if a finding has at least the severity of --fail-on, or there are more warnings than --max-warnings. */
const requireFew = (
  report: Report,
  failOn: Severity,
  maxWarnings: Option.Option<number>
): Effect.Effect<void, Problem> => {
  const found = counts(report)
  const failing = severities
    .filter((severity) => isAtLeast(severity, failOn))
    .reduce((sum, severity) => sum + found[severity], 0)
  if (failing > 0)
    return Effect.fail(
      problem(
        `${failing} finding${failing === 1 ? " has" : "s have"} at least the severity ${failOn}.`,
        "See the report."
      )
    )
  return Option.isSome(maxWarnings) && found.warning > maxWarnings.value
    ? Effect.fail(
        problem(
          `${counted(found.warning, "warning")} found; --max-warnings is ${maxWarnings.value}.`,
          "See the report."
        )
      )
    : Effect.void
}

export const lint = Command.make(
  "lint",
  flags,
  Effect.fnUntraced(function* (options) {
    if (options.rules) return yield* listRules
    if (Option.isSome(options.explain)) return yield* explain(options.explain.value)
    const format = yield* formatOf(options)
    if (options.dryRun && !options.fix) return yield* misuse("--dry-run needs --fix.", "Remove it, or add --fix.")
    if (options.fix && options.mcp)
      return yield* misuse("--fix corrects JSON lists, not the list of a server.", "Remove --fix or --mcp.")
    if (options.env.length > 0 && !options.mcp) return yield* misuse("--env needs --mcp.", "Remove it, or add --mcp.")
    const sources = yield* sourcesOf(options)
    const configuration = yield* Configuration.find(options.config, options.strict ? "strict" : undefined)
    const { settings } = configuration
    const { changes, report } = yield* Linting.lint(sources, configuration, options)
    if (format === "json")
      yield* Console.log(
        Json.text({ ...JsonReport.of(report, settings.preset), changes: changes.map(Linting.changeJson) })
      )
    else if (format === "sarif") {
      const digest = (text: string) => hash("sha256", text, "hex")
      yield* Console.log(Json.text(Sarif.of(report, { version, digest, settings })))
    } else {
      const screen = yield* Screen.make(false)
      Text.changes(screen, changes, options.dryRun)
      Text.write(screen, report, options.level, settings.preset)
    }
    return yield* requireFew(report, options.failOn, options.maxWarnings)
  })
).pipe(
  Command.withShortDescription("Check the tool definitions that a model reads"),
  Command.withDescription(`Checks the tool definitions that a model reads: names, descriptions, schemas, safety, paging,
  token cost.

  Reads JSON lists (OpenAI, Anthropic, MCP: an array, an object with tools, a tools/list
  response), OpenAPI documents, modules of guarded tools (.ts, .js), and with --mcp the list of
  an MCP server. Each list is linted separately, except with --together.

  --strict, or "preset": "strict" in the configuration, makes every rule an error, and some rules
  check more: lengths of all strings, idempotency_key for every write, environment for bulk and
  destructive tools, access and use stated in the description (in English or Chinese). Levels and
  suppressions in the configuration still apply.

  Configuration: the nearest toolguard.lint.json, or toolguard.lint in package.json, in this folder
  or a parent:
  { "preset": "strict",
    "rules": { "string-bounds": "off", "token-cost": { "level": "error", "max": 500 } },
    "ignore": [{ "tool": "legacy_*", "rules": ["name-verb-first"], "reason": "…" }] }
  In a list: "x-toolguard-ignore": { "rule": "reason" } on a tool or a schema.

  --fix makes only unambiguous corrections: types that JSON Schema names differently (dict, float)
  or does not have (any), objects that are not closed, misspelt keywords, idempotency keys without
  a minLength, and keys that appear twice with equal values.
  --json prints { preset, files, summary, changes }.

  Exit codes: 0 no finding reaches the severity of --fail-on; 1 a finding does, there are more
  warnings than --max-warnings, or a list cannot be read; 2 the command line or the configuration
  is invalid.`),
  Command.withExamples([
    { command: "toolguard lint tools.json", description: "Print the errors and warnings of a list" },
    { command: "toolguard lint tools.json --strict", description: "Fail for everything that a review would ask for" },
    { command: "toolguard lint src/tools.ts --level info", description: "Print all findings for guarded tools" },
    { command: "toolguard lint --mcp -- npx some-mcp-server --port 0", description: "Lint the list of a server" },
    { command: "toolguard lint tools.json --sarif > lint.sarif", description: "Write SARIF for code scanning" },
    { command: "toolguard lint tools.json --fix --dry-run", description: "Print the changes that --fix would make" }
  ])
)
