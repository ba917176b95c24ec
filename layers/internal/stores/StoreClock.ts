/**
 * Estimates how far the clock of a store is ahead of the clock of this process.
 *
 * A reading of the store's clock was made between sending the request and receiving its answer, which bounds the
 * difference from both sides. The estimate starts at 0 and changes only as far as a reading proves it wrong. It is
 * therefore 0 while the clocks agree, and does not vary with the time that requests take.
 */
import * as Effect from "effect/Effect"

interface StoreClock {
  /** Runs a request whose answer may contain the time of the store, and corrects the estimate. */
  readonly timed: <A extends { readonly now: number } | undefined, E>(
    request: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /** Returns the estimate in milliseconds. */
  readonly ahead: () => number
}

/** The clocks count whole milliseconds, so a difference of two readings is exact to one millisecond. */
const rounding = 1

/** Creates the estimate of one store. */
export const make = (): StoreClock => {
  let ahead = 0
  return {
    ahead: () => ahead,
    timed: (request) =>
      Effect.clockWith((clock) => {
        const before = clock.currentTimeMillisUnsafe()
        return Effect.map(request, (answer) => {
          if (answer === undefined) return answer
          const [least, most] = [
            answer.now - clock.currentTimeMillisUnsafe() - rounding,
            answer.now - before + rounding
          ]
          ahead = Math.min(Math.max(ahead, least), most)
          return answer
        })
      })
  }
}
