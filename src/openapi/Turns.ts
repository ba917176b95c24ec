/**
 * Keeps the turns that requests identify. A turn ends ten minutes after its last request.
 *
 * A request without a turn gets a new turn, which ends with its response. The turn that a request names belongs to its
 * tenant and principal: other principals have other turns with the same name.
 */
import { oldestOfLargest } from "#domain/turn/FairEviction"
import * as Turn from "#domain/turn/Turn"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** The time without a request after which a turn ends. */
const maxIdle = "10 minutes"

/** The maximum number of turns. Beyond it, the least recently used turn of the principal with the most turns ends. */
const maxTurns = 10_000

/**
 * Returns the conversation of a client: a JSON list that begins with `http`, so that no client can name a conversation
 * that the host uses elsewhere.
 */
export const conversationOf = (named: string | null): string => JSON.stringify(["http", named])

/** The conversation of all turns of a principal in which the client names no conversation. */
const noConversation = { conversation: conversationOf(null), isAlone: true }

/** Runs effects in the turns that their requests identify. */
export interface Turns {
  readonly within: <A, E, R>(effect: Effect.Effect<A, E, R>, ids: Partial<Turn.Turn>) => Effect.Effect<A, E, R | Guard>
}

interface Entry {
  readonly key: string
  /** The tenant and the principal. */
  readonly owner: string
  readonly turn: Turn.Turn
  /** The number of active requests. */
  running: number
  /** Ends the turn after `maxIdle`. */
  timer: Fiber.Fiber<void> | undefined
}

const ownerOf = ({ principal, tenant }: Turn.Turn): Turn.Owner => ({ tenant, principal })

const choice = {
  ownerOf: ({ owner }: Entry) => owner,
  mayForget: ({ running }: Entry) => running === 0
}

/** Creates the turns of a server. Closing the scope ends them. */
export const make: Effect.Effect<Turns, never, Guard | Scope.Scope> = Effect.gen(function* () {
  const guard = yield* GuardedTurn
  const scope = yield* Effect.scope
  const turns = new Map<string, Entry>()

  const end = (key: string, entry: Entry): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (entry.running > 0 || turns.get(key) !== entry) return Effect.void
      turns.delete(key)
      return guard.endTurn(entry.turn)
    })

  const begin = (key: string, turn: Turn.Turn): Effect.Effect<Entry> =>
    Effect.suspend(() => {
      const entry = turns.get(key) ?? {
        key,
        owner: JSON.stringify(Turn.ownerValues(ownerOf(turn))),
        turn,
        running: 0,
        timer: undefined
      }
      entry.running += 1
      const { timer } = entry
      entry.timer = undefined
      // the turn with the newest request is last
      turns.delete(key)
      turns.set(key, entry)
      const oldest = turns.size > maxTurns ? oldestOfLargest(turns.values(), choice) : undefined
      return Effect.andThen(
        Effect.all([
          timer === undefined ? Effect.void : Fiber.interrupt(timer),
          oldest === undefined ? Effect.void : end(oldest.key, oldest)
        ]),
        Effect.succeed(entry)
      )
    })

  const leave = (key: string, entry: Entry): Effect.Effect<void> =>
    Effect.suspend(() => {
      entry.running -= 1
      if (entry.running > 0) return Effect.void
      return Effect.map(
        Effect.forkIn(Effect.andThen(Effect.sleep(maxIdle), end(key, entry)), scope, { startImmediately: true }),
        (timer) => {
          entry.timer = timer
        }
      )
    })

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...turns.values()], ({ turn }) => guard.endTurn(turn), { discard: true })
  )

  return {
    within: (effect, ids) => {
      if (ids.turn === undefined) return Guard.turn(effect, ids)
      return Effect.flatMap(newTurn(ids.conversation === undefined ? { ...ids, ...noConversation } : ids), (turn) => {
        const key = Turn.key(turn)
        return Effect.acquireUseRelease(
          begin(key, turn),
          () => Effect.provideService(effect, CurrentTurn, turn),
          (entry) => leave(key, entry)
        )
      })
    }
  }
})
