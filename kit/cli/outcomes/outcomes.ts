/** `toolguard outcomes`: lists the calls whose side effect is unknown, and settles them [10.5]. */
import type { UnknownOutcome } from "effect-toolguard/internal/domain/approval/UnknownOutcome"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import { inWords } from "effect-toolguard/internal/domain/text/TimeSpan"
import { shown, shownOnOneLine } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Json from "#kit/cli/console/Json"
import { database, json } from "#kit/cli/console/Flags"
import { using } from "./OutcomeDatabase.ts"
import { settle } from "./settle.ts"

/** The maximum number of outcomes that are listed. */
const limit = 200

const answered = Flag.Boolean("answered").pipe(
  Flag.withDescription("Also list calls that were answered with an error. Default: false"),
  Flag.withDefault(false)
)

/** Names the owner of a call: identical calls of several tenants or principals are settled separately. */
const ownerOf = ({ conversation, principal, tenant }: Turn): string =>
  [
    `tenant ${shown(tenant)}`,
    ...(principal === undefined ? [] : [`on behalf of ${shown(principal)}`]),
    `conversation ${shown(conversation)}`
  ].join(", ")

const blockOf = (
  { arguments: args, at, callId, code, id, idempotencyKey, run, sentence, tool, traceId, turn }: UnknownOutcome,
  now: number
): string =>
  [
    `${id}  ${shown(tool)}  ${shown(code)}, ${inWords(now - at)} ago`,
    `  ${shownOnOneLine(sentence)}`,
    ...(args === undefined ? [] : [`  arguments ${Json.text(args)}`]),
    ...(idempotencyKey === "" ? [] : [`  key ${shown(idempotencyKey)}`]),
    ...(turn === undefined ? [] : [`  ${ownerOf(turn)}`]),
    `  trace ${shown(traceId)}${run === undefined ? "" : `, run ${shown(run)}`}${callId === undefined ? "" : `, call ${shown(callId)}`}`
  ].join("\n")

export const outcomes = Command.make(
  "outcomes",
  { answered, database, json },
  Effect.fnUntraced(function* ({ answered, database, json }) {
    const open = yield* using(database, (outcomes) => outcomes.open({ limit, answered }))
    if (json) return yield* Console.log(Json.text({ outcomes: open }))
    const now = yield* Clock.currentTimeMillis
    for (const outcome of open) yield* Console.log(blockOf(outcome, now))
    if (open.length === 0) yield* Console.log("No outcome is unknown.")
    if (open.length === limit) yield* Console.log(`The oldest ${limit} are listed.`)
  })
).pipe(
  Command.withShortDescription("List calls whose outcome is unknown, and settle them"),
  Command.withDescription(`Lists the calls whose outcome is unknown, oldest first, for example after a timeout, a lost
  connection or a crash. Find out whether each was done, and settle it: identical calls then get the
  result, or are made again, and a resumed run continues with the settled outcome.

  --answered also lists calls that their upstream answered with an error that does not say
  whether anything was done.

  Anyone who can write to the database can settle: keep its file, or its password, out of
  reach of the tools that a model calls.`),
  Command.withExamples([
    { command: "toolguard outcomes --database stores.db", description: "List unknown outcomes" },
    { command: "toolguard outcomes settle 4f3a… --not-done", description: "Let the call be made again" }
  ]),
  Command.withSubcommands([settle])
)
