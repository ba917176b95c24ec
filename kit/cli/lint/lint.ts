/** `toolguard lint`: judges the tools that a model is given. */
import * as JsonReport from "#kit/lint/report/JsonReport"
import * as RulePage from "#kit/lint/report/RulePage"
import { counts, type Report } from "#kit/lint/report/Report"
import { byId, ids, rules as allRules } from "#kit/lint/Rules"
import * as Sarif from "#kit/lint/report/Sarif"
import { isAtLeast, severities, type Severity } from "#kit/lint/rules/Severity"
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
import { json } from "#kit/cli/console/Flags"
import * as Configuration from "./Configuration.ts"
import * as Run from "./Run.ts"
import * as Sources from "./Sources.ts"
import * as Text from "./Text.ts"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"
import { version } from "#kit/Version"

const off = (name: string, what: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(`${what}. Default: false`), Flag.withDefault(false))

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const flags = {
  sources: Argument.String("files").pipe(
    Argument.withDescription("JSON lists (- for standard input), modules; with --mcp a command"),
    Argument.variadic()
  ),
  mcp: off("mcp", "Ask the MCP server that the command after -- starts"),
  timeout: Flag.Int("timeout").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_600 }))),
    Flag.withMetavar("<seconds>"),
    Flag.withDescription("How long the server may take. Default: 30"),
    Flag.withDefault(30)
  ),
  together: off("together", "Take all files for one list, as one agent has them"),
  level: Flag.Literals("level", severities).pipe(
    Flag.withDescription("Least severity printed. Default: warning"),
    Flag.withDefault("warning" as const)
  ),
  failOn: Flag.Literals("fail-on", severities).pipe(
    Flag.withDescription("Least severity that fails. Default: error"),
    Flag.withDefault("error" as const)
  ),
  maxWarnings: Flag.Int("max-warnings").pipe(
    Flag.withSchema(count),
    Flag.withMetavar("<n>"),
    Flag.withDescription("End with 1 where there are more warnings. Default: any number"),
    Flag.optional
  ),
  config: Flag.String("config").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Configuration. Default: the nearest, see above"),
    Flag.optional
  ),
  fix: off("fix", "Mend JSON lists where that is safe, and tell each change"),
  dryRun: off("dry-run", "With --fix: tell the changes, and write nothing"),
  format: Flag.Literals("format", ["text", "json", "sarif"]).pipe(
    Flag.withDescription("How the findings are printed. Default: text"),
    Flag.optional
  ),
  json,
  sarif: off("sarif", "Print SARIF 2.1.0 and nothing else"),
  rules: off("rules", "List the rules"),
  explain: Flag.String("explain").pipe(
    Flag.withMetavar("<rule>"),
    Flag.withDescription("Show the page of a rule: why, examples, options"),
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
    `No rule is named ${Screen.plain(id)}.`,
    near === undefined ? "See toolguard lint --rules." : `Nearest: ${near}.`
  )
}

/** What is to be linted. */
const sourcesOf = (given: {
  readonly sources: ReadonlyArray<string>
  readonly mcp: boolean
  readonly timeout: number
}) => {
  const patience = Duration.seconds(given.timeout)
  if (given.sources.length === 0) {
    return misuse(
      given.mcp ? "No command is named." : "No file is named.",
      given.mcp
        ? "toolguard lint --mcp -- COMMAND ARGS…"
        : "toolguard lint tools.json, or toolguard lint --mcp -- COMMAND ARGS…"
    )
  }
  return given.mcp
    ? Effect.map(Sources.server(given.sources, patience, inWords(Duration.toMillis(patience))), (source) => [source])
    : Effect.forEach(given.sources, Sources.file)
}

/** The one format that the flags ask for. */
const formatOf = (given: {
  readonly format: Option.Option<"text" | "json" | "sarif">
  readonly json: boolean
  readonly sarif: boolean
}) => {
  const asked = new Set([
    ...Option.toArray(given.format),
    ...(given.json ? ["json" as const] : []),
    ...(given.sarif ? ["sarif" as const] : [])
  ])
  const [format = "text"] = asked
  return asked.size > 1
    ? misuse("Two formats are asked for.", "Name one: --format text, json or sarif.")
    : Effect.succeed(format)
}

/** Fails where there is more than may be. */
const judge = (report: Report, failOn: Severity, maxWarnings: Option.Option<number>): Effect.Effect<void, Problem> => {
  const found = counts(report)
  const failing = severities
    .filter((severity) => isAtLeast(severity, failOn))
    .reduce((sum, severity) => sum + found[severity], 0)
  if (failing > 0)
    return Effect.fail(
      problem(`${failing} finding${failing === 1 ? " weighs" : "s weigh"} at least ${failOn}.`, "See the report.")
    )
  return Option.isSome(maxWarnings) && found.warning > maxWarnings.value
    ? Effect.fail(problem(`There are ${found.warning} warnings, over ${maxWarnings.value}.`, "See the report."))
    : Effect.void
}

export const lint = Command.make(
  "lint",
  flags,
  Effect.fnUntraced(function* (given) {
    if (given.rules) return yield* listRules
    if (Option.isSome(given.explain)) return yield* explain(given.explain.value)
    const format = yield* formatOf(given)
    if (given.dryRun && !given.fix) return yield* misuse("--dry-run is for --fix.", "Leave it out, or add --fix.")
    if (given.fix && given.mcp)
      return yield* misuse("--fix is for JSON lists: a server's list is made by its code.", "Leave it out.")
    const sources = yield* sourcesOf(given)
    const configuration = yield* Configuration.find(given.config)
    const { changes, report } = yield* Run.run(sources, configuration, given)
    if (format === "json")
      yield* Console.log(JSON.stringify({ ...JsonReport.of(report), changes: changes.map(Run.changeJson) }))
    else if (format === "sarif") {
      const digest = (text: string) => hash("sha256", text, "hex")
      yield* Console.log(JSON.stringify(Sarif.of(report, { version, digest })))
    } else {
      const screen = yield* Screen.make(false)
      Text.changes(screen, changes, given.dryRun)
      Text.write(screen, report, given.level)
    }
    return yield* judge(report, given.failOn, given.maxWarnings)
  })
).pipe(
  Command.withShortDescription("Judge the tools that a model is given"),
  Command.withDescription(`Judges the tools that a model is given: names, descriptions, schemas, safety, paging, token cost.

  Reads JSON lists (OpenAI, Anthropic, MCP: an array, an object with tools, a tools/list
  answer), modules of guarded tools (.ts, .js), and with --mcp the list of a running MCP
  server. Every list is judged for itself, unless --together.

  Configuration: the nearest toolguard.lint.json, or toolguard.lint in package.json, upwards:
  { "rules": { "string-bounds": "off", "token-cost": { "level": "error", "max": 500 } },
    "ignore": [{ "tool": "legacy_*", "rules": ["name-verb-first"], "reason": "…" }] }
  In a list: "x-toolguard-ignore": { "rule": "reason" } on a tool or a schema.

  --fix mends what needs no guess: types that JSON Schema calls otherwise (dict, float), and
  objects that are not closed. --json prints { files, summary, changes }.

  Exit codes: 0 nothing weighs what --fail-on says; 1 something does, there are more warnings
  than --max-warnings, or a list cannot be read; 2 the command or its configuration is wrong.`),
  Command.withExamples([
    { command: "toolguard lint tools.json", description: "Errors and warnings of a list" },
    { command: "toolguard lint src/tools.ts --level info", description: "All that can be said of guarded tools" },
    { command: "toolguard lint --mcp -- npx some-mcp-server --port 0", description: "The list of a running server" },
    { command: "toolguard lint tools.json --sarif > lint.sarif", description: "For code scanning" },
    { command: "toolguard lint tools.json --fix --dry-run", description: "What would be mended" }
  ])
)
