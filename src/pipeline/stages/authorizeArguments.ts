/** [4.3] Asks whether this principal may use this tool with these decoded arguments. */
import { Authorizer } from "#services/Authorizer"
import * as Effect from "effect/Effect"
import { admit, failClosed } from "./authorize.ts"
import type { Stage } from "#pipeline/call/Stage"

export const authorizeArguments: Stage<Authorizer> = {
  name: "authorizeArguments",
  question: "may this caller use the tool with these arguments",
  make: Effect.map(Authorizer, (authorizer) => (tool) => (next) => {
    if (authorizer.allowsAll) return next
    const { access, name } = tool.definition
    return (call) =>
      Effect.flatMap(
        failClosed("authorizeArguments", call, () =>
          authorizer.authorizeArguments({ tool: name, access, turn: call.turn }, call.arguments)
        ),
        admit("authorizeArguments", call, next)
      )
  })
}
