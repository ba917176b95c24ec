/**
 * Divides the session of a client into turns. The client's calls form one turn until the client has been silent for a
 * while.
 *
 * A client does not report when its user asks something new, so silence ends a turn. Budgets and recalled failures are
 * then reset. Large results remain readable for the whole session.
 */
import type { GuardedTurn } from "effect-toolguard/internal/guard/Guard"
import type { Turn } from "effect-toolguard/internal/domain/turn/Turn"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The turns of one session. */
interface Turns {
  /** Returns the turn of a call that arrives now. */
  readonly current: Effect.Effect<Turn>
  /** Ends the turn. The next call starts a new turn. */
  readonly renew: Effect.Effect<void>
  /** Ends the last turn and discards the state of the conversation. */
  readonly end: Effect.Effect<void>
}

/** Creates the turns of a session. `silenceMillis` is the time without a call after which a turn ends. */
export const make = (guard: GuardedTurn["Service"], conversation: string, silenceMillis: number): Turns => {
  let count = 1
  let lastAt: number | undefined
  const turn = (): Turn => ({ conversation, turn: String(count), tenant: "default", isSession: true })
  const renew = Effect.suspend(() => {
    const ended = turn()
    count += 1
    // loops are detected per conversation, so the state of the conversation is discarded too
    return Effect.andThen(guard.endTurn(ended), guard.forget(ended))
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
