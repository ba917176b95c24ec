/**
 * Which turn a client's call belongs to: one per session, ended by silence.
 *
 * A client of a protocol with sessions is its session; one without is whom its credential names, so that budgets hold over
 * its requests. The conversation stays when the turn ends: links to large results go on being good in it.
 */
import type { Turn } from "#domain/turn/Turn"
import { CurrentTurn } from "#services/CurrentTurn"
import { type Guard, GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Whom a credential names. */
export interface Identity {
  readonly principal: string
  /** Default: `default`. */
  readonly tenant?: string
}

export interface Sessions {
  /** Runs an effect in the turn of a session. Sessions of other identities are others, whatever their id. */
  readonly within: <A, E, R>(
    id: string,
    identity: Identity | undefined,
    effect: (turn: Turn) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

interface Session {
  turn: Turn
  /** The turn was ended by silence. */
  isOver: boolean
  running: number
  lastMillis: number
}

/** How long a session without calls is remembered, and how many are: links to results live as long. */
const forgetMillis = Duration.toMillis("24 hours")
const mostSessions = 10_000

/** `silence`: how long a session may be without a call before its turn ends. */
export const make = (silence: Duration.Input): Effect.Effect<Sessions, never, Guard> =>
  Effect.gen(function* () {
    const guard = yield* GuardedTurn
    const silenceMillis = Duration.toMillis(Duration.fromInputUnsafe(silence))
    // in the order of their last call
    const sessions = new Map<string, Session>()

    const sweep = (now: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const endings: Array<Effect.Effect<void>> = []
        for (const [key, session] of sessions) {
          const idle = now - session.lastMillis
          if (idle < silenceMillis && sessions.size <= mostSessions) break
          if (session.running > 0) continue
          // loops too: what repeated itself then may have been mended since
          if (!session.isOver) endings.push(guard.endTurn(session.turn), guard.forget(session.turn))
          session.isOver = true
          if (idle >= forgetMillis || sessions.size > mostSessions) sessions.delete(key)
        }
        return Effect.all(endings, { discard: true })
      })

    const enter = (key: string, identity: Identity | undefined) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sweep(now)
        const known = sessions.get(key)
        const session = known ?? { turn: yield* newTurn(identity), isOver: false, running: 0, lastMillis: now }
        if (session.isOver) session.turn = yield* newTurn({ ...identity, conversation: session.turn.conversation })
        session.isOver = false
        session.running += 1
        session.lastMillis = now
        sessions.delete(key)
        sessions.set(key, session)
        return session
      })

    const leave = (session: Session) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        session.running -= 1
        session.lastMillis = now
      })

    return {
      within: (id, identity, effect) =>
        Effect.acquireUseRelease(
          enter(JSON.stringify([identity?.tenant, identity?.principal, id]), identity),
          ({ turn }) => Effect.provideService(effect(turn), CurrentTurn, turn),
          leave
        )
    }
  })
