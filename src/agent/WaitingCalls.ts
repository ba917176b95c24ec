/**
 * Settles the calls of a round that wait for people. Each call continues after its own decision, without delaying the
 * others.
 */
import * as Effect from "effect/Effect"
import type { ModelAnswer } from "#src/guard/Guard"
import type { Called, Waiting } from "./Steps.ts"
import type { Within } from "./Stop.ts"

/** Completes a call that was answered. */
type Answered<A, R> = (index: number, answered: Within<ModelAnswer>) => Effect.Effect<A, never, R>

/** Waits for the decisions, continues at most `concurrency` calls at once, and returns all in order. */
export const settle = <A, R, R2>(
  calls: ReadonlyArray<A | Waiting<R>>,
  answered: Answered<A, R2>,
  concurrency: number
): Effect.Effect<ReadonlyArray<A>, never, R | R2> =>
  Effect.gen(function* () {
    const all: Array<A | Waiting<R>> = [...calls]
    while (true) {
      const waiting = all.flatMap((call, index) => (isWaiting<A, R>(call) ? [{ call, index }] : []))
      // without waiting calls, all elements are answers
      if (waiting.length === 0) return all as ReadonlyArray<A>
      const decided = yield* Effect.filter(waiting, ({ call }) => call.isDecided)
      if (decided.length === 0) {
        yield* Effect.forEach(waiting, ({ call }) => call.decided, { concurrency: "unbounded", discard: true })
      }
      yield* Effect.forEach(
        decided,
        ({ call, index }) =>
          Effect.flatMap(call.again, (called: Called<R>) =>
            called._tag === "Waiting"
              ? Effect.sync(() => void (all[index] = called))
              : Effect.map(answered(index, called), (answer) => void (all[index] = answer))
          ),
        { concurrency, discard: true }
      )
    }
  })

const isWaiting = <A, R>(call: A | Waiting<R>): call is Waiting<R> =>
  typeof call === "object" && call !== null && "_tag" in call && call._tag === "Waiting"
