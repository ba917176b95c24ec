/** `toolguard resume`: lets a halted tool be called again. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Json from "#kit/cli/console/Json"
import { database, json } from "#kit/cli/console/Flags"
import { problem } from "#kit/cli/console/Problem"
import { using } from "./HaltDatabase.ts"
import * as Order from "./Order.ts"

const tool = Argument.String("tool").pipe(
  Argument.withDescription("Id or name of the halted tool, as toolguard halt lists it")
)

export const resume = Command.make(
  "resume",
  { tool, by: Order.by, reason: Order.reason, database, json },
  Effect.fnUntraced(function* (options) {
    const order = yield* Order.make(options.tool, options.by, options.reason)
    const halt = yield* using(options.database, (halts) => halts.resume(order))
    if (halt === undefined) {
      return yield* problem(`${shown(options.tool)} is not halted.`, "toolguard halt lists the halted tools.")
    }
    yield* Console.log(
      options.json ? Json.text({ resumed: halt }) : `${shown(order.tool)}: resumed by ${shown(order.by)}.`
    )
  })
).pipe(
  Command.withShortDescription("Let a halted tool be called again"),
  Command.withDescription(`Lets a halted tool be called again in every process that uses the database, within a second.
  The order is stored with --by and --reason.`),
  Command.withExamples([
    { command: "toolguard resume refund_order --database stores.db", description: "End the halt of refund_order" }
  ])
)
