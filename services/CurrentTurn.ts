/**
 * The turn that the running fiber works for.
 *
 * A `Context.Reference`, so it never shows in requirements. Its default is `undefined`: outside of a turn each call is
 * a turn of its own, and nothing is remembered from one call to the next. The agent loop and `Guard.turn` set it.
 */
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"

/** The turn of the running fiber, or `undefined`. */
export const CurrentTurn = Context.Reference<Turn | undefined>("effect-toolguard/CurrentTurn", {
  defaultValue: () => undefined
})
