/**
 * The turns of a client's session: its calls are one turn, until it has been silent for a while.
 *
 * A client does not say when its user has asked something new. Silence is the sign that is left: budgets and what is remembered
 * of failed calls then begin anew. Large results stay readable as long as the session lasts.
 */
import type { GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Turns {
  /** The turn of a call that comes now. */
  readonly current: Effect.Effect<Turn>
  /** The next call begins a new turn. */
  readonly renew: Effect.Effect<void>
  /** Forgets everything. */
  readonly end: Effect.Effect<void>
}

export const make = (guard: GuardedTurn["Service"], conversation: string, silenceMillis: number): Turns => {
  let count = 1
  let lastAt: number | undefined
  const turn = (): Turn => ({ conversation, turn: String(count), tenant: "default" })
  const renew = Effect.suspend(() => {
    const over = turn()
    count += 1
    // loops too: they are seen per conversation
    return Effect.andThen(guard.endTurn(over), guard.forget(over))
  })
  return {
    current: Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isSilent = lastAt !== undefined && now - lastAt >= silenceMillis
      lastAt = now
      return isSilent ? Effect.map(renew, turn) : Effect.sync(turn)
    }),
    renew,
    end: Effect.suspend(() => Effect.andThen(guard.endTurn(turn()), guard.forget(turn())))
  }
}
