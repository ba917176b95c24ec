/** [4.1] Answers a call of a name that no tool has: the nearest existing names are told. */
import { nearest } from "#domain/Nearest"
import * as Effect from "effect/Effect"
import * as Call from "./Call.ts"
import { refuse } from "./Refusal.ts"
import type { Stage } from "./Stage.ts"

const listed = 8

export const locate: Stage = {
  name: "locate",
  make: Effect.succeed((tool) => (next) => {
    if (tool.exists) return next
    return (call) => {
      const name = call.name.slice(0, 64)
      const candidates = nearest(name, call.known, 3)
      const known = call.known.slice(0, listed).join(", ")
      Call.decide(call, "locate", "refused", "no tool has this name")
      return Effect.succeed(
        refuse(call, "unknown_tool", {
          detail: `No tool is named "${name}".`,
          hint:
            candidates.length > 0
              ? `Did you mean ${candidates.join(" or ")}?`
              : known === ""
                ? "There are no tools. Answer without one."
                : `Tools: ${known}${call.known.length > listed ? ", …" : ""}.`
        })
      )
    }
  })
}
