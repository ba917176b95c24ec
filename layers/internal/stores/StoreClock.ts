/**
 * Estimates how far the clock of a store is ahead of the clock of this process.
 *
 * A reading of the store's clock was made between sending the request and receiving its answer, which bounds the
 * difference from both sides. The estimate starts at 0 and changes only as far as a reading proves it wrong. It is
 * therefore 0 while the clocks agree, and does not vary with the time that requests take.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

interface StoreClock {
  /** Reads something with the time of the store, and returns it with the estimate in milliseconds. */
  readonly timed: <A extends { readonly now: number }, E>(
    reading: Effect.Effect<A, E>
  ) => Effect.Effect<readonly [A, number], E>
}

/** The clocks count whole milliseconds, so a difference of two readings is exact to one millisecond. */
const rounding = 1

/** Creates the estimate of one store. */
export const make = (): StoreClock => {
  let ahead = 0
  return {
    timed: (reading) =>
      Effect.flatMap(Clock.currentTimeMillis, (before) =>
        Effect.flatMap(reading, (read) =>
          Effect.map(Clock.currentTimeMillis, (after) => {
            const [least, most] = [read.now - after - rounding, read.now - before + rounding]
            ahead = Math.min(Math.max(ahead, least), most)
            return [read, ahead] as const
          })
        )
      )
  }
}
