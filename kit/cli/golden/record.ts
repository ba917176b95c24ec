/** `toolguard golden record`: writes a golden file for each conversation that has no golden file. */
import { verify } from "#kit/golden/Verification"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { each, flags, report, toolsOf, save } from "./Conversations.ts"
import * as Folder from "./Folder.ts"

export const record = Command.make(
  "record",
  flags,
  Effect.fnUntraced(function* (options) {
    const tools = yield* toolsOf(options)
    const folder = yield* Folder.open(options.dir)
    const all = yield* each(options, (scenario, rounds) => {
      const before = folder.find(scenario)
      if (before !== undefined) return Effect.succeed({ scenario, file: before.file, state: "left" as const })
      return save(
        folder,
        scenario,
        verify(undefined, rounds, { ignore: options.ignore, isCi: false, isUpdate: false, scenario, tools })
      )
    })
    yield* report(options, all)
  })
).pipe(
  Command.withShortDescription("Write a golden file for each conversation without one"),
  Command.withDescription(`Writes a golden file for each recorded conversation without one: its calls with their arguments.
  A failed call that was repaired is left out. Existing files do not change; to update them, use
  toolguard golden verify --update.

  Exit codes: 0 the files were written; 1 a file cannot be read or written; 2 the command line is
  invalid.`)
)
