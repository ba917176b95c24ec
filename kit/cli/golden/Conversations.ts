/** What both commands on golden files share: which conversations they look at, and what becomes of each. */
import * as IgnoredFields from "#kit/golden/IgnoredFields"
import * as Sequence from "#kit/golden/Sequence"
import type { Verified } from "#kit/golden/Verification"
import type { Conversation } from "#kit/traffic/Conversation"
import type * as Format from "#kit/traffic/Format"
import type { AnyTool } from "effect-toolguard/internal/tool/ToolClass"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Terminal from "effect/Terminal"
import { json } from "#kit/cli/console/Flags"
import * as LoadTools from "#kit/cli/console/LoadTools"
import { misuse, type Problem, problem } from "#kit/cli/console/Problem"
import { files, format } from "#kit/cli/replay/replay"
import * as Screen from "#kit/cli/console/Screen"
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
  Flag.withDescription("Only the conversation of this id; may stand more than once. Default: all"),
  Flag.atLeast(0)
)

const scenario = Flag.String("scenario").pipe(
  Flag.withMetavar("<name>"),
  Flag.withDescription("What the one conversation is called. Default: its id"),
  Flag.optional
)

const ignore = Flag.String("ignore").pipe(
  Flag.withMetavar("<path>"),
  Flag.withDescription("Argument that a new file leaves out, such as search.cursor or *.request_id"),
  Flag.atLeast(0)
)

const tools = Flag.String("tools").pipe(
  Flag.withMetavar("<module>"),
  Flag.withDescription("Module of guarded tools, whose parameters mark what is volatile"),
  Flag.optional
)

export const flags = { files, format, dir, only, scenario, ignore, tools, json }

/** What the flags say. */
interface Given {
  readonly files: ReadonlyArray<string>
  readonly format: Option.Option<Format.FormatName>
  readonly only: ReadonlyArray<string>
  readonly scenario: Option.Option<string>
  readonly ignore: ReadonlyArray<string>
  readonly tools: Option.Option<string>
  readonly json: boolean
}

/** Passes each conversation that is asked for on, one after the other. Gives what came of them. */
export const each = (
  given: Given,
  judge: (scenario: string, rounds: ReadonlyArray<Sequence.Round>) => Effect.Effect<Scenario.Scenario, Problem>
): Effect.Effect<ReadonlyArray<Scenario.Scenario>, Problem, Terminal.Terminal> =>
  Effect.gen(function* () {
    const screen = yield* Screen.make(given.json)
    const wanted = new Set(given.only)
    const all: Array<Scenario.Scenario> = []
    const one = (conversation: Conversation): Effect.Effect<void, Problem> =>
      Effect.gen(function* () {
        if (Option.isSome(given.scenario) && all.length > 0) {
          return yield* misuse(
            "--scenario names one conversation, and the files hold more.",
            "Choose one by its id: --only ID."
          )
        }
        const name = Option.getOrElse(given.scenario, () => conversation.id)
        const judged = yield* judge(name, Sequence.of(conversation))
        all.push(judged)
        Scenario.write(screen, judged)
      })
    yield* Stream.runForEach(Traffic.stream(given.files, { format: Option.getOrUndefined(given.format) }), (batch) =>
      Effect.forEach(
        batch.items,
        (item) => {
          if (item._tag === "Skipped") return Console.error(`${item.place.file}:${item.place.line}: ${item.reason}`)
          return wanted.size === 0 || wanted.has(item.id) ? one(item) : Effect.void
        },
        { discard: true }
      )
    )
    const seen = new Set(all.map(({ scenario }) => scenario))
    const absent = given.only.find((id) => Option.isNone(given.scenario) && !seen.has(id))
    return absent === undefined
      ? all
      : yield* problem(`The files hold no conversation "${absent}".`, "Name another id: --only ID.")
  })

/** The tools of a module, where one is named. */
export const toolsOf = (given: Given): Effect.Effect<ReadonlyMap<string, AnyTool> | undefined, Problem> =>
  Effect.gen(function* () {
    const wrong = given.ignore.find((path) => IgnoredFields.read(path) === undefined)
    if (wrong !== undefined) {
      return yield* misuse(`"${wrong}" is no path.`, "Write tool.field, tool.list[].field, *.field or tool.*")
    }
    return Option.isSome(given.tools) ? yield* LoadTools.load(given.tools.value) : undefined
  })

/** Prints what came of all. */
export const report = (given: Given, all: ReadonlyArray<Scenario.Scenario>) =>
  Effect.gen(function* () {
    if (given.json) yield* Console.log(JSON.stringify({ scenarios: all.map(Scenario.json) }))
    else Scenario.summary(yield* Screen.make(false), all)
  })

/** Writes what was decided, and tells it. */
export const written = (
  folder: Folder.Folder,
  scenario: string,
  decided: Verified
): Effect.Effect<Scenario.Scenario, Problem> => {
  const file = folder.find(scenario)?.file
  const known = { scenario, ...(file === undefined ? {} : { file }) }
  switch (decided._tag) {
    case "Same":
      return Effect.succeed({ ...known, state: "same" })
    case "Missing":
      return Effect.succeed({ ...known, state: "missing" })
    case "Differs":
      return Effect.succeed({ ...known, state: "differs", compared: decided.compared })
    case "Recorded":
      return Effect.map(folder.write(scenario, decided.text), (file) => ({ scenario, file, state: "recorded" }))
    case "Updated":
      return Effect.map(folder.write(scenario, decided.text), (file) => ({
        scenario,
        file,
        state: "updated",
        compared: decided.compared
      }))
    case "Unreadable":
      return Effect.fail(problem(`${file} is no golden file: ${decided.detail}`, "Correct it, or delete it."))
  }
}
