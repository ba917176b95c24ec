/** Provides the shared parts of `golden record` and `golden verify`: flags, selection of conversations, and report. */
import * as IgnoredFields from "#kit/golden/IgnoredFields"
import * as Sequence from "#kit/golden/Sequence"
import type { VerificationResult } from "#kit/golden/Verification"
import type { Conversation } from "#kit/traffic/Conversation"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Terminal from "effect/Terminal"
import * as Json from "#kit/cli/console/Json"
import { json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { files } from "#kit/cli/replay/replay"
import * as Screen from "#kit/cli/console/Screen"
import * as Source from "#kit/cli/traffic/Source"
import * as Traffic from "#kit/cli/traffic/Traffic"
import type * as Folder from "./Folder.ts"
import * as Scenario from "./Scenario.ts"

const dir = Flag.String("dir").pipe(
  Flag.withMetavar("<folder>"),
  Flag.withDescription("Folder of the golden files. Default: golden"),
  Flag.withDefault("golden")
)

const only = Flag.String("only").pipe(
  Flag.withMetavar("<id>"),
  Flag.withDescription("Only the conversation with this id; repeatable. Default: all"),
  Flag.atLeast(0)
)

const scenario = Flag.String("scenario").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("Scenario name of the only conversation. Default: its id"),
  Flag.optional
)

const ignore = Flag.String("ignore").pipe(
  Flag.withMetavar("<path>"),
  Flag.withDescription("Argument to leave out of new files, such as *.request_id; repeatable"),
  Flag.atLeast(0)
)

const tools = Flag.String("tools").pipe(
  Flag.withMetavar("<module>"),
  Flag.withDescription("Module of guarded tools whose parameters mark volatile fields"),
  Flag.optional
)

/** The flags of both commands. */
export const flags = { files, ...Source.flags, dir, only, scenario, ignore, tools, json }

/** The values of the flags. */
interface Options extends Source.Options {
  readonly files: ReadonlyArray<string>
  readonly only: ReadonlyArray<string>
  readonly scenario: Option.Option<string>
  readonly ignore: ReadonlyArray<string>
  readonly tools: Option.Option<string>
  readonly json: boolean
}

/** Evaluates the selected conversations one after the other, and prints and returns their scenarios. */
export const each = (
  options: Options,
  evaluate: (scenario: string, rounds: ReadonlyArray<Sequence.Round>) => Effect.Effect<Scenario.Scenario, Problem>
): Effect.Effect<ReadonlyArray<Scenario.Scenario>, Problem, Terminal.Terminal> =>
  Effect.gen(function* () {
    const screen = yield* Screen.make(options.json)
    const selectedIds = new Set(options.only)
    const all: Array<Scenario.Scenario> = []
    const one = (conversation: Conversation): Effect.Effect<void, Problem> =>
      Effect.gen(function* () {
        if (Option.isSome(options.scenario) && all.length > 0) {
          return yield* misuse(
            "--scenario names one conversation, but the files contain several.",
            "Select one by its id: --only ID."
          )
        }
        const name = Option.getOrElse(options.scenario, () => conversation.id)
        const evaluated = yield* evaluate(name, Sequence.of(conversation))
        all.push(evaluated)
        Scenario.write(screen, evaluated)
      })
    yield* Stream.runForEach(Traffic.stream(options.files, yield* Source.read(options)), (batch) =>
      Effect.forEach(
        batch.items,
        (item) => {
          if (item._tag === "Skipped") return Console.error(`${item.place.file}:${item.place.line}: ${item.reason}`)
          return selectedIds.size === 0 || selectedIds.has(item.id) ? one(item) : Effect.void
        },
        { discard: true }
      )
    )
    const seen = new Set(all.map(({ scenario }) => scenario))
    const absent = options.only.find((id) => Option.isNone(options.scenario) && !seen.has(id))
    return absent === undefined
      ? all
      : yield* problem(`The files contain no conversation "${absent}".`, "Choose another id: --only ID.")
  })

/** Loads the tools of the module; `undefined` without --tools. Checks the paths of --ignore first. */
export const toolsOf = (options: Options): Effect.Effect<ReadonlyMap<string, AnyTool> | undefined, Problem> =>
  Effect.gen(function* () {
    const wrong = options.ignore.find((path) => IgnoredFields.read(path) === undefined)
    if (wrong !== undefined) {
      return yield* misuse(`"${wrong}" is not a path.`, "Write tool.field, tool.list[].field, *.field or tool.*")
    }
    return Option.isSome(options.tools) ? yield* LoadTools.load(options.tools.value, "--tools") : undefined
  })

/** Prints the summary, or everything as JSON. */
export const report = (options: Options, all: ReadonlyArray<Scenario.Scenario>) =>
  Effect.gen(function* () {
    if (options.json) yield* Console.log(Json.text({ scenarios: all.map(Scenario.json) }))
    else Scenario.summary(yield* Screen.make(false), all)
  })

/** Writes the golden file if it was recorded or updated, and returns the scenario. */
export const save = (
  folder: Folder.Folder,
  scenario: string,
  verified: VerificationResult
): Effect.Effect<Scenario.Scenario, Problem> => {
  const file = folder.find(scenario)?.file
  const known = { scenario, ...(file === undefined ? {} : { file }) }
  switch (verified._tag) {
    case "Same":
      return Effect.succeed({ ...known, state: "same" })
    case "Missing":
      return Effect.succeed({ ...known, state: "missing" })
    case "Differs":
      return Effect.succeed({ ...known, state: "differs", compared: verified.compared })
    case "Recorded":
      return Effect.map(folder.write(scenario, verified.text), (file) => ({ scenario, file, state: "recorded" }))
    case "Updated":
      return Effect.map(folder.write(scenario, verified.text), (file) => ({
        scenario,
        file,
        state: "updated",
        compared: verified.compared
      }))
    case "Unreadable":
      return Effect.fail(problem(`${file} is not a golden file: ${verified.detail}`, "Correct it, or delete it."))
  }
}
