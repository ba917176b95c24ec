/** `toolguard fuzz`: checks the tools of a module against the guard's promises, whatever is sent to them and answered. */
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
import { json } from "#kit/cli/console/Flags"
import * as Checked from "./Checked.ts"
import * as Exported from "./Exported.ts"
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
    Flag.withDescription("Only this tool; may stand more than once. Default: all"),
    Flag.atLeast(0)
  ),
  runs: Flag.Int("runs").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Cases for each tool. Default: 1000"),
    Flag.withDefault(1_000)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withSchema(Schema.Int.check(Schema.isInt32())),
    Flag.withMetavar("<n>"),
    Flag.withDescription("Another seed makes other cases. Default: 1"),
    Flag.withDefault(1)
  ),
  replay: Flag.String("replay").pipe(
    Flag.withMetavar("<token>"),
    Flag.withDescription("Make one case again, such as 1:417; needs --tool"),
    Flag.optional
  ),
  runHandlers: Flag.Boolean("run-handlers").pipe(
    Flag.withDescription("Run the handlers of the module's backend. WRITES ARE REALLY DONE. Default: false"),
    Flag.withDefault(false)
  ),
  json
}

const chosen = (
  path: string,
  tools: ReadonlyMap<string, AnyTool>,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<AnyTool>, Problem> =>
  Effect.gen(function* () {
    for (const name of names) {
      if (tools.has(name)) continue
      const [near] = nearest(name, tools.keys())
      const others = near === undefined ? `Its tools: ${[...tools.keys()].join(", ")}.` : `The nearest is ${near}.`
      return yield* misuse(`${path} has no tool "${name}".`, others)
    }
    return [...tools.values()].filter(({ toolName }) => names.length === 0 || names.includes(toolName))
  })

const warning = `The handlers are run: what they write is really done, with made-up arguments, thousands of times.`

/** The layer of the module's backend, with what it is promised. */
const handlersOf = (path: string): Effect.Effect<Layer.Layer<unknown, unknown>, Problem> =>
  Effect.gen(function* () {
    const { layer } = yield* LoadBackend.load(path, {})
    yield* Console.error(warning)
    return Layer.provide(layer as Layer.Layer<unknown, unknown, HttpClient.HttpClient>, FetchHttpClient.layer)
  })

export const fuzz = Command.make(
  "fuzz",
  flags,
  Effect.fnUntraced(function* ({ module: path, replay, runHandlers, runs, seed, ...given }) {
    const tools = yield* LoadTools.load(path)
    const selected = yield* chosen(path, tools, given.tool)
    if (Option.isSome(replay) && selected.length !== 1) {
      return yield* misuse("--replay makes the case of one tool.", "Name it: --tool NAME.")
    }
    const layer = runHandlers ? yield* handlersOf(path) : undefined
    const sources = yield* Exported.sources(path, selected, runHandlers)
    const screen = yield* Screen.make(given.json)
    const width = Math.min(32, Math.max(...selected.map(({ toolName }) => toolName.length)))
    const startedAt = yield* Clock.currentTimeMillis
    const progress = Progress.make()
    const options = (tool: string, source: Source | undefined) => ({
      onCase: (done: number) => progress.at(tool, done, runs),
      runs,
      seed,
      ...(Option.isSome(replay) ? { replay: replay.value } : {}),
      ...(layer === undefined ? {} : { layer }),
      ...(source === undefined ? {} : { source })
    })
    const all = yield* Effect.forEach(selected, (tool) =>
      Effect.tap(
        Checked.of(tool.toolName, checkTool(tool, options(tool.toolName, sources.get(tool.toolName)))),
        (checked) =>
          Effect.sync(() => {
            progress.end()
            Text.tool(screen, checked, width)
          })
      )
    )
    if (given.json) yield* Console.log(JSON.stringify({ seed, runs, tools: all.map(Checked.json) }))
    else Text.summary(screen, all, (yield* Clock.currentTimeMillis) - startedAt)
    const broken = all.filter(({ _tag }) => _tag === "Broken").length
    const unchecked = all.filter(({ _tag }) => _tag === "Unfuzzable").length
    if (broken > 0) {
      return yield* problem(
        `${broken} of ${all.length} tools broke a promise.`,
        "Each test above shows one: paste it into a file, and run it until it passes."
      )
    }
    if (unchecked > 0) {
      return yield* problem(
        `${unchecked} of ${all.length} tools could not be checked.`,
        "The report says what would help."
      )
    }
  })
).pipe(
  Command.withShortDescription("Check tools against the guard's promises, with hostile calls and answers"),
  Command.withDescription(`Makes calls at and past every boundary of a tool's schemas, and answers that are cut, late, silent,
  doubled, large, hostile or of another kind, in virtual time and through the standard guard in
  memory. Checks after each case: n calls gave n results, of one shape and type, within their
  deadline; each fault was told as what it is; a write was done at most once; nothing secret was
  shown. The same seed makes the same cases. A case that breaks a promise is made as small as it
  goes, and printed as a test.

  What a tool answers is made up, and its handler is not run. --run-handlers runs those of the
  module's backend too, with arguments that its schemas take: what they write is really done.

  Exit codes: 0 every promise was kept; 1 one was broken, or a tool could not be checked; 2 the
  command was written wrongly.`),
  Command.withExamples([
    { command: "toolguard fuzz src/tools.ts", description: "A thousand cases for each tool" },
    { command: "toolguard fuzz src/tools.ts --tool refund_order --runs 100000", description: "A night's work" },
    { command: "toolguard fuzz src/tools.ts --tool refund_order --replay 1:417", description: "One case again" }
  ])
)
