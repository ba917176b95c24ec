/**
 * The turn of the running fiber. The agent loop and `Guard.turn` set it.
 *
 * A `Context.Reference`, so that it never appears in requirements. Its default is `undefined`: each call is then a separate turn,
 * and no state is shared between calls.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"

/** The turn of the running fiber, or `undefined`. */
export const CurrentTurn = Context.Reference<Turn | undefined>("effect-toolguard/CurrentTurn", {
  defaultValue: () => undefined
})
