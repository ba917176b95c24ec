/** `toolguard golden record`: writes a golden file for each conversation that has none. */
import { verify } from "#kit/golden/Verification"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { each, flags, report, toolsOf, written } from "./Conversations.ts"
import * as Folder from "./Folder.ts"

export const record = Command.make(
  "record",
  flags,
  Effect.fnUntraced(function* (given) {
    const tools = yield* toolsOf(given)
    const folder = yield* Folder.open(given.dir)
    const all = yield* each(given, (scenario, rounds) => {
      const before = folder.find(scenario)
      if (before !== undefined) return Effect.succeed({ scenario, file: before.file, state: "left" as const })
      return written(
        folder,
        scenario,
        verify(undefined, rounds, { ignore: given.ignore, isCi: false, isUpdate: false, scenario, tools })
      )
    })
    yield* report(given, all)
  })
).pipe(
  Command.withShortDescription("Write a golden file for each conversation that has none"),
  Command.withDescription(`Writes a golden file for each recorded conversation that has none: the calls that were made, with their
  arguments. A failed call that was repaired is left out. Files that are there stay as they are;
  toolguard golden verify --update brings them up to date.

  Exit codes: 0 the files are written; 1 something cannot be read or written; 2 the command was
  written wrongly.`)
)
