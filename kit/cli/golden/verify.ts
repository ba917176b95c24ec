/** `toolguard golden verify`: compares conversations with their golden files. */
import { isSet } from "#kit/golden/GoldenMatch"
import { verify as verifyRounds } from "#kit/golden/Verification"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Problem, problem } from "#kit/cli/console/Problem"
import * as Screen from "#kit/cli/console/Screen"
import { each, flags, report, toolsOf, save } from "./Conversations.ts"
import * as Folder from "./Folder.ts"
import * as Scenario from "./Scenario.ts"

const update = Flag.Boolean("update").pipe(
  Flag.withDescription("Update the golden files that differ. Default: false"),
  Flag.withDefault(false)
)

const partial = Flag.Boolean("partial").pipe(
  Flag.withDescription("Allow golden files without a conversation. Default: false"),
  Flag.withDefault(false)
)

export const verify = Command.make(
  "verify",
  { ...flags, update, partial },
  Effect.fnUntraced(function* (options) {
    const tools = yield* toolsOf(options)
    const folder = yield* Folder.open(options.dir)
    const before = folder.scenarios
    const isCi = yield* isSet("CI")
    const run = yield* each(options, (scenario, rounds) => {
      const verifyOptions = { isCi, isUpdate: options.update, ignore: options.ignore, scenario, tools }
      return save(folder, scenario, verifyRounds(folder.find(scenario)?.text, rounds, verifyOptions))
    })
    const seen = new Set(run.map(({ scenario }) => scenario))
    const isAll = options.only.length === 0 && Option.isNone(options.scenario) && !options.partial
    const unseen = isAll ? before.filter((scenario) => !seen.has(scenario)) : []
    const notRun = unseen.map((scenario): Scenario.Scenario => {
      const file = folder.find(scenario)?.file
      return { scenario, ...(file === undefined ? {} : { file }), state: "not run" }
    })
    const screen = yield* Screen.make(options.json)
    for (const one of notRun) Scenario.write(screen, one)
    const all = [...run, ...notRun]
    yield* report(options, all)
    return yield* requireExpected(all)
  })
).pipe(
  Command.withShortDescription("Compare conversations with their golden files"),
  Command.withDescription(`Compares recorded conversations with their golden files, matched by scenario name: each call and
  its arguments. The calls of one round may come in any order; a failed call and its repair count
  as one call, the repair. A missing or extra call does not affect the comparison of the others.

  If a call is expected to fail and its file names an "error", the fields of this error are
  compared too. --update adds the error to calls that have none.

  The comparison ignores the paths in a file's "ignore", the fields that the module of --tools marks
  as volatile, and the model's idempotency_key. Secrets are redacted.

  A conversation without a golden file is recorded. If the variable CI is set, the command fails
  instead.

  Exit codes: 0 all scenarios are as expected; 1 a scenario differs, has no golden file or was not
  run, or a file cannot be read; 2 the command line is invalid.`)
)

/** Succeeds if every scenario is as expected. Fails if a scenario differs, has no golden file, or was not run. */
const requireExpected = (all: ReadonlyArray<Scenario.Scenario>): Effect.Effect<void, Problem> => {
  const count = (state: Scenario.Scenario["state"]) => all.filter((one) => one.state === state).length
  const of = `of ${all.length} scenario${all.length === 1 ? "" : "s"}`
  if (count("differs") > 0) {
    return Effect.fail(
      problem(
        `${count("differs")} ${of} differ${count("differs") === 1 ? "s" : ""}.`,
        "If the runs are correct, run the command again with --update."
      )
    )
  }
  if (count("missing") > 0) {
    return Effect.fail(
      problem(
        `${count("missing")} ${of} ${count("missing") === 1 ? "has" : "have"} no golden file, and golden files are not recorded in CI.`,
        `Create ${count("missing") === 1 ? "it" : "them"} with toolguard golden record.`
      )
    )
  }
  return count("not run") > 0
    ? Effect.fail(
        problem(
          `${count("not run")} ${of} ${count("not run") === 1 ? "was" : "were"} not run.`,
          `${count("not run") === 1 ? "Run it, delete its file" : "Run them, delete their files"}, or add --partial.`
        )
      )
    : Effect.void
}
