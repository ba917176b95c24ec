/**
 * Lets other work of the process run between the steps of a call with large data, because each step holds the event loop
 * for as long as it takes.
 */
import type { Steps } from "#domain/json/Steps"
import * as Effect from "effect/Effect"

/** The length of the JSON text from which data is large, in characters: reading it takes some milliseconds. */
const largeFrom = 1_000_000

/** True if a text, or the JSON text of a value, is large. */
export const isLarge = (characters: number): boolean => characters >= largeFrom

/** Does work in steps, and lets other work run before, between and after the steps. */
export const inSteps = <A>(steps: Steps<A>): Effect.Effect<A> => Effect.flatMap(Effect.yieldNow, () => nextOf(steps))

const nextOf = <A>(steps: Steps<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const step = steps.next()
    return step.done === true ? Effect.as(Effect.yieldNow, step.value) : inSteps(steps)
  })

/** Continues with `next`, after other work if the result is large. */
export const between = <A>(characters: number, next: () => Effect.Effect<A>): Effect.Effect<A> =>
  characters < largeFrom ? next() : Effect.flatMap(Effect.yieldNow, next)
