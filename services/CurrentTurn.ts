/**
 * The turn of the running fiber. The agent loop and `Guard.turn` set it.
 *
 * The turn is a `Context.Reference`, so it never appears in requirements. The default is `undefined`. Each call is
 * then a separate turn, and calls share no state.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"

/** The turn of the running fiber; `undefined` outside a turn. */
export const CurrentTurn = Context.Reference<Turn | undefined>("effect-toolguard/CurrentTurn", {
  defaultValue: () => undefined
})
