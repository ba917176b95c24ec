/**
 * Lets other work of the process run between the steps of a call with a large result, because each step (reading,
 * decoding, rendering) holds the event loop for as long as it takes.
 */
import * as Effect from "effect/Effect"

/** The length of the JSON text from which a result is large, in characters: reading it takes some milliseconds. */
const largeFrom = 1_000_000

/** Continues with `next`, after other work if the result is large. */
export const between = <A>(characters: number, next: () => Effect.Effect<A>): Effect.Effect<A> =>
  characters < largeFrom ? next() : Effect.flatMap(Effect.yieldNow, next)
