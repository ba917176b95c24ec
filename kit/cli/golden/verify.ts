/** `toolguard golden verify`: compares conversations with their golden files. */
import { isSet } from "#kit/golden/MatchGolden"
import { verify as verified } from "#kit/golden/Verification"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"
import { each, flags, report, toolsOf, written } from "./Conversations.ts"
import * as Folder from "./Folder.ts"
import * as Scenario from "./Scenario.ts"

const update = Flag.Boolean("update").pipe(
  Flag.withDescription("Write what differs to the golden files. Default: false"),
  Flag.withDefault(false)
)

const partial = Flag.Boolean("partial").pipe(
  Flag.withDescription("Golden files without a conversation are no fault. Default: false"),
  Flag.withDefault(false)
)

export const verify = Command.make(
  "verify",
  { ...flags, update, partial },
  Effect.fnUntraced(function* (given) {
    const tools = yield* toolsOf(given)
    const folder = yield* Folder.open(given.dir)
    const before = folder.scenarios
    const isCi = yield* isSet("CI")
    const run = yield* each(given, (scenario, rounds) => {
      const options = { isCi, isUpdate: given.update, ignore: given.ignore, scenario, tools }
      return written(folder, scenario, verified(folder.find(scenario)?.text, rounds, options))
    })
    const seen = new Set(run.map(({ scenario }) => scenario))
    const isAll = given.only.length === 0 && Option.isNone(given.scenario) && !given.partial
    const unseen = isAll ? before.filter((scenario) => !seen.has(scenario)) : []
    const notRun = unseen.map((scenario): Scenario.Scenario => {
      const file = folder.find(scenario)?.file
      return { scenario, ...(file === undefined ? {} : { file }), state: "not run" }
    })
    const screen = yield* Screen.make(given.json)
    for (const one of notRun) Scenario.write(screen, one)
    const all = [...run, ...notRun]
    yield* report(given, all)
    return yield* judge(all)
  })
).pipe(
  Command.withShortDescription("Compare conversations with their golden files"),
  Command.withDescription(`Compares recorded conversations with their golden files, by the scenario's name: each call, and its
  arguments. The calls of one round may stand in any order; a failed call and its repair count as
  the repaired call. What is missing or new moves nothing else.

  Left out of arguments: paths that a file's "ignore" names, what --tools marks as volatile, and
  the idempotency_key of a model. Secrets are never written.

  A conversation without a golden file is recorded; where CI is set in the environment it fails.

  Exit codes: 0 all is as expected; 1 something differs, is missing or was not run, or a file
  cannot be read; 2 the command was written wrongly.`)
)

const judge = (all: ReadonlyArray<Scenario.Scenario>): Effect.Effect<void, Problem> => {
  const count = (state: Scenario.Scenario["state"]) => all.filter((one) => one.state === state).length
  const of = `of ${all.length} scenario${all.length === 1 ? "" : "s"}`
  if (count("differs") > 0) {
    return Effect.fail(
      problem(
        `${count("differs")} ${of} differ${count("differs") === 1 ? "s" : ""}.`,
        "If the runs are right: the same with --update."
      )
    )
  }
  if (count("missing") > 0) {
    return Effect.fail(
      problem(
        `${count("missing")} ${of} ${count("missing") === 1 ? "has" : "have"} no golden file, and in CI none is recorded.`,
        "toolguard golden record writes it."
      )
    )
  }
  return count("not run") > 0
    ? Effect.fail(
        problem(
          `${count("not run")} ${of} ${count("not run") === 1 ? "was" : "were"} not run.`,
          "Run it, delete its file, or say --partial."
        )
      )
    : Effect.void
}
