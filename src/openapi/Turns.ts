/**
 * The turns that requests name. The guard remembers a turn until it has been silent for a while.
 *
 * A request without a turn is a separate turn, which ends with its response.
 */
import * as Turn from "#domain/turn/Turn"
import { CurrentTurn } from "#services/CurrentTurn"
import { Guard, GuardedTurn, newTurn } from "#src/guard/Guard"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

/** How long a turn is silent before it ends. */
const silence = "10 minutes"

/** The maximum number of turns; beyond it the turn with the longest silence ends. */
const mostTurns = 10_000

/** Runs effects in the turns that their requests name. */
export interface Turns {
  readonly within: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    named: Partial<Turn.Turn>
  ) => Effect.Effect<A, E, R | Guard>
}

interface Kept {
  readonly turn: Turn.Turn
  /** The number of active requests. */
  running: number
  /** Ends the turn after the silence. */
  timer: Fiber.Fiber<void> | undefined
}

/** Ends all turns when the scope closes. */
export const make: Effect.Effect<Turns, never, Guard | Scope.Scope> = Effect.gen(function* () {
  const guard = yield* GuardedTurn
  const scope = yield* Effect.scope
  const kept = new Map<string, Kept>()

  const end = (key: string, entry: Kept): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (entry.running > 0 || kept.get(key) !== entry) return Effect.void
      kept.delete(key)
      return guard.endTurn(entry.turn)
    })

  const begin = (key: string, turn: Turn.Turn): Effect.Effect<Kept> =>
    Effect.suspend(() => {
      const entry = kept.get(key) ?? { turn, running: 0, timer: undefined }
      entry.running += 1
      const { timer } = entry
      entry.timer = undefined
      // the latest is last
      kept.delete(key)
      kept.set(key, entry)
      const oldest = kept.size > mostTurns ? [...kept].find(([, { running }]) => running === 0) : undefined
      return Effect.andThen(
        Effect.all([
          timer === undefined ? Effect.void : Fiber.interrupt(timer),
          oldest === undefined ? Effect.void : end(...oldest)
        ]),
        Effect.succeed(entry)
      )
    })

  const leave = (key: string, entry: Kept): Effect.Effect<void> =>
    Effect.suspend(() => {
      entry.running -= 1
      if (entry.running > 0) return Effect.void
      return Effect.map(
        Effect.forkIn(Effect.andThen(Effect.sleep(silence), end(key, entry)), scope, { startImmediately: true }),
        (timer) => {
          entry.timer = timer
        }
      )
    })

  yield* Effect.addFinalizer(() =>
    Effect.forEach([...kept.values()], ({ turn }) => guard.endTurn(turn), { discard: true })
  )

  return {
    within: (effect, named) => {
      if (named.turn === undefined) return Guard.turn(effect, named)
      return Effect.flatMap(newTurn({ conversation: "", ...named }), (turn) => {
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
