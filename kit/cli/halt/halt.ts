/** `toolguard halt`: stops all calls of a tool in every process that shares the database, or lists the halted tools. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Json from "#kit/cli/console/Json"
import { database, json } from "#kit/cli/console/Flags"
import { lineOf, using } from "./HaltDatabase.ts"
import * as Order from "./Order.ts"

const tool = Argument.String("tool").pipe(
  Argument.withDescription("Id or name of the tool. Without it, the halted tools are listed"),
  Argument.optional
)

const history = Flag.Boolean("history").pipe(
  Flag.withDescription("List the last 100 orders instead of the halted tools. Default: false"),
  Flag.withDefault(false)
)

interface Listing {
  readonly database: Option.Option<string>
  readonly history: boolean
  readonly json: boolean
}

const list = ({ database, history, json }: Listing) =>
  Effect.gen(function* () {
    const entries = yield* using(database, (halts) =>
      history ? halts.history : Effect.map(halts.current, (current) => [...current.values()])
    )
    if (json) {
      return yield* Console.log(Json.text(history ? { history: entries } : { halted: entries }))
    }
    const now = yield* Clock.currentTimeMillis
    for (const entry of entries) yield* Console.log(lineOf(entry, now))
    if (entries.length === 0) yield* Console.log(history ? "There are no orders." : "No tool is halted.")
  })

export const halt = Command.make(
  "halt",
  { tool, by: Order.by, reason: Order.reason, history, database, json },
  Effect.fnUntraced(function* ({ by, reason, tool, ...options }) {
    if (Option.isNone(tool)) return yield* list(options)
    const order = yield* Order.make(tool.value, by, reason)
    const entry = yield* using(options.database, (halts) => halts.halt(order))
    if (options.json) return yield* Console.log(Json.text(entry))
    yield* Console.log(lineOf(entry, entry.at))
    yield* Console.log("Within a second, every process that uses this database refuses the tool's calls.")
  })
).pipe(
  Command.withShortDescription("Stop all calls of a tool, or list the halted tools"),
  Command.withDescription(`Stops all calls of a tool in every process that uses the database, within a second, until
  toolguard resume. The model reads who halted the tool, and why. Without a tool, lists the
  halted tools.

  A handler that is already running continues. The command does not check the name: an
  unknown id or name has no effect.`),
  Command.withExamples([
    {
      command: `toolguard halt refund_order --reason "refunds are doubled" --database stores.db`,
      description: "Stop all refunds"
    },
    { command: "toolguard halt", description: "List the halted tools" },
    { command: "toolguard halt --history", description: "List the last orders, newest first" },
    { command: "toolguard resume refund_order", description: "Let the tool be called again" }
  ])
)
