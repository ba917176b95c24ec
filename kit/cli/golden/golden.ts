/** `toolguard golden`: the calls that are expected of an agent, recorded and verified. */
import * as Command from "effect/cli/Command"
import { record } from "./record.ts"
import { verify } from "./verify.ts"

export const golden = Command.make("golden").pipe(
  Command.withShortDescription("Record which calls are expected, and verify runs by that"),
  Command.withDescription(
    "Keeps the calls that are expected of an agent, with their arguments, in files that people review."
  ),
  Command.withExamples([
    { command: "toolguard golden record runs.jsonl --dir golden", description: "A golden file for each conversation" },
    { command: "toolguard golden verify runs.jsonl --dir golden", description: "Compare later runs with them" },
    { command: "toolguard golden verify runs.jsonl --update", description: "Take the new calls over" },
    {
      command: "toolguard calls export - -d stores.db | toolguard golden verify -",
      description: "The calls that the guard itself has recorded"
    }
  ]),
  Command.withSubcommands([record, verify])
)
