/** `toolguard approvals`: lists approval requests, and decides them from the terminal or in an inbox. */
import * as Command from "effect/cli/Command"
import { answer, approve, deny } from "./decide.ts"
import { list } from "./list.ts"
import { reveal } from "./reveal.ts"
import { serve } from "./serve.ts"
import { token } from "./token.ts"

export const approvals = Command.make("approvals").pipe(
  Command.withShortDescription("List approval requests, and decide them"),
  Command.withDescription(`Lists approval requests, and decides them: from the terminal, or in an inbox (serve).

  The requests are in the database of the guard's stores. Anyone who can write to that database
  can decide: keep its file, or its password, out of reach of the tools that a model calls.`),
  Command.withExamples([
    {
      command: "toolguard approvals list --database stores.db",
      description: "List the pending requests"
    },
    { command: "toolguard approvals approve 4f3a…", description: "Let the call run once" },
    {
      command: `toolguard approvals deny 4f3a… --reason "too much"`,
      description: "Refuse the call; the model reads why"
    },
    { command: "toolguard approvals token ana", description: "Create a token for an approver" },
    { command: "TOOLGUARD_APPROVERS=[…] toolguard approvals serve", description: "Serve the inbox on this machine" }
  ]),
  Command.withSubcommands([list, reveal, approve, deny, answer, token, serve])
)
