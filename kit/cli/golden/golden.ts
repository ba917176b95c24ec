/** `toolguard golden`: records the expected calls of an agent and verifies runs against them. */
import * as Command from "effect/cli/Command"
import { record } from "./record.ts"
import { verify } from "./verify.ts"

export const golden = Command.make("golden").pipe(
  Command.withShortDescription("Record the expected calls of an agent, and compare runs with them"),
  Command.withDescription("Keeps the expected calls of an agent, with their arguments, in files that people review."),
  Command.withExamples([
    {
      command: "toolguard golden record runs.jsonl --dir golden",
      description: "Write a golden file for each conversation"
    },
    {
      command: "toolguard golden verify runs.jsonl --dir golden",
      description: "Compare later runs with the golden files"
    },
    { command: "toolguard golden verify runs.jsonl --update", description: "Update the golden files to the new calls" },
    {
      command: "toolguard calls export - -d stores.db | toolguard golden verify -",
      description: "Verify the calls that the guard has recorded"
    }
  ]),
  Command.withSubcommands([record, verify])
)
