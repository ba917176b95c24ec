/**
 * Lets other work of the process run between the steps of a call with large data, because each step holds the event loop
 * for as long as it takes.
 */
import * as JsonWeight from "#domain/json/JsonWeight"
import type { Steps } from "#domain/json/Steps"
import * as Effect from "effect/Effect"
import type { Call } from "./Call.ts"

/** The length of the JSON text from which data is large, in characters: reading it takes some milliseconds. */
const largeFrom = 1_000_000

/** True if a text, or the JSON text of a value, is large. */
export const isLarge = (characters: number): boolean => characters >= largeFrom

/** True if the arguments that a model sent are large. The size of a value is estimated. */
export const isLargeInput = ({ argumentsText, input, origin }: Call): boolean => {
  if (origin === "program") return false
  if (argumentsText !== undefined) return isLarge(argumentsText.length)
  try {
    return isLarge(JsonWeight.estimate(input, largeFrom))
  } catch {
    return false // a getter that throws
  }
}

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
