/** `toolguard approvals reveal`: shows the masked parts of a request, and records who has seen them [10.6]. */
import { systemUser } from "effect-toolguard/internal/layers/terminal/SystemUser"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { database } from "#kit/cli/console/Flags"
import { problem } from "#kit/cli/console/Problem"
import { using } from "./Database.ts"

export const reveal = Command.make(
  "reveal",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the request, or its URL")),
    by: Flag.String("by").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription("Name stored with the request. Default: the user of this machine"),
      Flag.optional
    ),
    database
  },
  Effect.fnUntraced(function* ({ by, database, id }) {
    const name = id.trim().split("/").at(-1) ?? ""
    const revealed = yield* using(database, (approvals) => approvals.reveal(name, Option.getOrElse(by, systemUser)))
    if (revealed === undefined) {
      return yield* problem(
        `The request ${shown(id)} is not pending, or no part of its arguments is hidden.`,
        "See toolguard approvals list."
      )
    }
    yield* Console.log(revealed)
  })
).pipe(Command.withShortDescription("Show the hidden parts of a call, and record who has seen them"))
