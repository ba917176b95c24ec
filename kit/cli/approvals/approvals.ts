/** `toolguard approvals`: what waits for a person, decided from the terminal. */
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { using } from "./Database.ts"
import { answer, approve, deny } from "./decide.ts"
import { database, json } from "#kit/cli/console/Flags"
import * as Lines from "./Lines.ts"
import { serve } from "./serve.ts"
import { token } from "./token.ts"
import * as Screen from "#kit/cli/console/Screen"

const list = Command.make(
  "list",
  {
    database,
    json,
    limit: Flag.Int("limit").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
      Flag.withMetavar("<n>"),
      Flag.withDescription("Most requests that are shown, oldest first. Default: 100"),
      Flag.withDefault(100)
    )
  },
  Effect.fnUntraced(function* (given) {
    const page = yield* using(given.database, ({ pending }) => pending({ limit: given.limit }))
    if (given.json) return yield* Console.log(visibleJson(JSON.stringify(page)))
    const screen = yield* Screen.make(false)
    const now = yield* Clock.currentTimeMillis
    for (const request of page.requests) Lines.request(screen, request, now).forEach(screen.line)
    const rest = page.total - page.requests.length
    screen.line(
      page.total === 0
        ? "Nothing waits for a person."
        : `${page.total === 1 ? "One request waits" : `${page.total} requests wait`} for a person${
            rest > 0 ? `; ${rest} more with --limit ${page.total}` : ""
          }.`
    )
  })
).pipe(Command.withShortDescription("List what waits for a person, oldest first"))

export const approvals = Command.make("approvals").pipe(
  Command.withShortDescription("List what waits for a person, and decide it"),
  Command.withDescription(`Lists what waits for a person, and decides it: from the terminal, or at an inbox (serve).

  The approvals are in the database of the guard's stores. Whoever may write to that database
  may decide: keep its file, or its password, out of reach of the tools that a model calls.`),
  Command.withExamples([
    { command: "toolguard approvals list --database stores.db", description: "What waits, with tool and arguments" },
    { command: "toolguard approvals approve 4f3a…", description: "Lets the call run, once" },
    { command: `toolguard approvals deny 4f3a… --reason "too much"`, description: "Refuses it; the model reads why" },
    { command: "toolguard approvals token ana", description: "A token for somebody who decides at the inbox" },
    { command: "TOOLGUARD_APPROVERS=[…] toolguard approvals serve", description: "The inbox, on this machine" }
  ]),
  Command.withSubcommands([list, approve, deny, answer, token, serve])
)
