/**
 * Refuses new calls while the process shuts down. The calls that belong to a call in progress are still made: those of
 * its handler, and those that the guard makes for it.
 */
import * as Effect from "effect/Effect"
import { isNewWhileDraining, refuseDrained } from "#pipeline/call/DrainedCall"
import type { Stage } from "#pipeline/call/Stage"

export const drain: Stage = {
  name: "drain",
  question: "is the process shutting down",
  make: Effect.succeed(() => (next) => (call) => {
    if (!isNewWhileDraining(call)) return next(call)
    return Effect.succeed(refuseDrained(call, "drain", "The process is shutting down; the call was not made."))
  })
}
