/** `toolguard fuzz`: checks that the guard keeps its promises for the tools of a module, with generated calls and answers. */
import { nearest } from "effect-toolguard/internal/domain/text/NearestName"
import { checkTool, type Source } from "#kit/fuzz/CheckTool"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import * as CheckOutcome from "./CheckOutcome.ts"
import * as ToolImports from "./ToolImports.ts"
import * as Progress from "./Progress.ts"
import * as Text from "./Text.ts"
import * as LoadBackend from "#kit/cli/console/LoadBackend"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"

const flags = {
  module: Argument.String("module").pipe(Argument.withDescription("Module of guarded tools")),
  tool: Flag.String("tool").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("Check only this tool; repeatable. Default: all tools"),
    Flag.atLeast(0)
  ),
  runs: Flag.Int("runs").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Cases per tool. Default: 1000"),
    Flag.withDefault(1_000)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isInt32())),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Seed of the generated cases. Default: 1"),
    Flag.withDefault(1)
  ),
  replay: Flag.String("replay").pipe(
    Flag.withMetavar("<token>"),
    Flag.withDescription("Repeat one case, such as 1:417; needs --tool"),
    Flag.optional
  ),
  runHandlers: Flag.Boolean("run-handlers").pipe(
    Flag.withDescription("Run the handlers of the backend. THEIR WRITES ARE REAL. Default: false"),
    Flag.withDefault(false)
  ),
  json
}

/** Selects the named tools, or all tools if none is named. */
const selectedTools = (
  path: string,
  tools: ReadonlyMap<string, AnyTool>,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<AnyTool>, Problem> =>
  Effect.gen(function* () {
    for (const name of names) {
      if (tools.has(name)) continue
      const [near] = nearest(name, tools.keys())
      const others = near === undefined ? `Its tools: ${[...tools.keys()].join(", ")}.` : `Nearest: ${near}.`
      return yield* misuse(`${path} has no tool "${name}".`, others)
    }
    return [...tools.values()].filter(({ toolName }) => names.length === 0 || names.includes(toolName))
  })

const warning = `The handlers will run: they write for real, with generated arguments, thousands of times.`

/** Loads the layer of the module's backend, and provides an HTTP client to it. */
const handlersOf = (path: string): Effect.Effect<Layer.Layer<unknown, unknown>, Problem> =>
  Effect.gen(function* () {
    const { layer } = yield* LoadBackend.load(path, {})
    yield* Console.error(warning)
    // the type of a loaded backend is unknown; the HTTP client is the only service that its layer may require
    return Layer.provide(layer as Layer.Layer<unknown, unknown, HttpClient.HttpClient>, FetchHttpClient.layer)
  })

export const fuzz = Command.make(
  "fuzz",
  flags,
  Effect.fnUntraced(function* ({ module: path, replay, runHandlers, runs, seed, ...options }) {
    const tools = yield* LoadTools.load(path)
    const selected = yield* selectedTools(path, tools, options.tool)
    if (Option.isSome(replay) && selected.length !== 1) {
      return yield* misuse("--replay repeats a case of one tool.", "Name the tool: --tool NAME.")
    }
    const layer = runHandlers ? yield* handlersOf(path) : undefined
    const sources = yield* ToolImports.sources(path, selected, runHandlers)
    const screen = yield* Screen.make(options.json)
    const width = Math.min(32, Math.max(...selected.map(({ toolName }) => toolName.length)))
    const startedAt = yield* Clock.currentTimeMillis
    const progress = Progress.make()
    const checkOptions = (tool: string, source: Source | undefined) => ({
      onCase: (done: number) => progress.at(tool, done, runs),
      runs,
      seed,
      ...(Option.isSome(replay) ? { replay: replay.value } : {}),
      ...(layer === undefined ? {} : { layer }),
      ...(source === undefined ? {} : { source })
    })
    const all = yield* Effect.forEach(selected, (tool) =>
      Effect.tap(
        CheckOutcome.of(tool.toolName, checkTool(tool, checkOptions(tool.toolName, sources.get(tool.toolName)))),
        (outcome) =>
          Effect.sync(() => {
            progress.end()
            Text.tool(screen, outcome, width)
          })
      )
    )
    if (options.json) yield* Console.log(Json.text({ seed, runs, tools: all.map(CheckOutcome.json) }))
    else Text.summary(screen, all, (yield* Clock.currentTimeMillis) - startedAt)
    const broken = all.filter(({ _tag }) => _tag === "Broken").length
    const unchecked = all.filter(({ _tag }) => _tag === "Unfuzzable").length
    if (broken > 0) {
      return yield* problem(
        `${broken} of ${all.length} tools broke a promise.`,
        "Each test above reproduces one: paste it into a file and run it until it passes."
      )
    }
    if (unchecked > 0) {
      return yield* problem(
        `${unchecked} of ${all.length} tools could not be checked.`,
        "The report says how to make them checkable."
      )
    }
  })
).pipe(
  Command.withShortDescription("Check tools against the guard's promises, with hostile calls and answers"),
  Command.withDescription(`Generates calls at and beyond every boundary of a tool's schemas, and answers that are truncated,
  late, missing, duplicated, large, hostile or of the wrong type. Runs them in virtual time through
  the standard guard in memory, and checks after each case: n calls returned n results of the
  expected shape and type within their deadline; each fault was classified correctly; a write
  happened at most once; no secret was exposed. The same seed generates the same cases. A case that
  breaks a promise is reduced to a minimal one and printed as a test.

  The answers of a tool are generated, and its handler does not run. --run-handlers also runs the
  handlers of the module's backend, with arguments that its schemas accept: their writes are real.

  Exit codes: 0 every promise was kept; 1 a promise was broken, or a tool could not be checked;
  2 the command line is invalid.`),
  Command.withExamples([
    { command: "toolguard fuzz src/tools.ts", description: "Check each tool with 1,000 cases" },
    {
      command: "toolguard fuzz src/tools.ts --tool refund_order --runs 100000",
      description: "Check one tool overnight"
    },
    { command: "toolguard fuzz src/tools.ts --tool refund_order --replay 1:417", description: "Repeat one case" }
  ])
)
