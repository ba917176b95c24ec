/**
 * Assigns turns to clients. Each session has one turn at a time. A turn ends after a time without calls.
 *
 * In protocols without sessions, the identity of the credential is the session, so that budgets apply across requests.
 * The conversation continues when a turn ends, so that links to large results stay valid.
 */
import { oldestOfLargest } from "#domain/turn/FairEviction"
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
  readonly key: string
  /** The tenant and the principal. */
  readonly owner: string
  turn: Turn
  /** True if the turn has ended. */
  isOver: boolean
  running: number
  lastMillis: number
}

/** How long a session without calls is kept. Links to results are valid for the same time. */
const keepMillis = Duration.toMillis("24 hours")
/**
 * The maximum number of sessions that are kept. Beyond it, the oldest session of the principal with the most sessions
 * is forgotten.
 */
const maxSessions = 10_000

const choice = {
  ownerOf: ({ owner }: Session) => owner,
  mayForget: ({ running }: Session) => running === 0
}

/** Creates the sessions of a server. `silence` is the time without a call after which a turn ends. */
export const make = (silence: Duration.Input): Effect.Effect<Sessions, never, Guard> =>
  Effect.gen(function* () {
    const guard = yield* GuardedTurn
    const silenceMillis = Duration.toMillis(Duration.fromInputUnsafe(silence))
    // ordered by their last call
    const sessions = new Map<string, Session>()

    const sweep = (now: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const clearing: Array<Effect.Effect<void>> = []
        const end = (session: Session) => {
          // loops end too: the cause of the repetition may have been fixed since
          if (!session.isOver) clearing.push(guard.endTurn(session.turn), guard.forget(session.turn))
          session.isOver = true
        }
        for (const [key, session] of sessions) {
          const idle = now - session.lastMillis
          if (idle < silenceMillis) break
          if (session.running > 0) continue
          end(session)
          if (idle >= keepMillis) sessions.delete(key)
        }
        while (sessions.size > maxSessions) {
          const oldest = oldestOfLargest(sessions.values(), choice)
          if (oldest === undefined) break
          end(oldest)
          sessions.delete(oldest.key)
        }
        return Effect.all(clearing, { discard: true })
      })

    const enter = (key: string, identity: Identity | undefined) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sweep(now)
        const known = sessions.get(key)
        const session = known ?? {
          key,
          owner: JSON.stringify([identity?.tenant, identity?.principal]),
          turn: yield* newTurn({ ...identity, isSession: true }),
          isOver: false,
          running: 0,
          lastMillis: now
        }
        if (session.isOver)
          session.turn = yield* newTurn({ ...identity, isSession: true, conversation: session.turn.conversation })
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
