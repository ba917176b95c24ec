/** A failure that the channel does not hold cannot be caught. */
import { Transient } from "#domain/Failure"
import { Effect } from "effect"

declare const call: Effect.Effect<string, Transient>

export const caught = call.pipe(
  // error: Argument of type '"Permanent"' is not assignable
  Effect.catchTag("Permanent", () => Effect.succeed("caught"))
)
