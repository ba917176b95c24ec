/**
 * The turns of clients: one per session, ended by silence.
 *
 * In protocols without sessions, the identity of the credential is the session, so that budgets apply across requests. The
 * conversation continues when a turn ends, so that links to large results stay valid.
 */
import type { Turn } from "#domain/turn/Turn"
import { CurrentTurn } from "#services/CurrentTurn"
import { type Guard, GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The identity of a credential. */
export interface Identity {
  readonly principal: string
  /** Default: `default`. */
  readonly tenant?: string
}

export interface Sessions {
  /** Runs an effect in the turn of a session. Sessions with the same id but another identity are distinct. */
  readonly within: <A, E, R>(
    id: string,
    identity: Identity | undefined,
    effect: (turn: Turn) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

interface Session {
  turn: Turn
  /** Whether silence has ended the turn. */
  isOver: boolean
  running: number
  lastMillis: number
}

/** How long, and how many, sessions without calls are remembered. Links to results live as long. */
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
          // loops too: what repeated itself then may have been fixed since
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
