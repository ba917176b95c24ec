/** A warning that is logged at most once a minute. The next warning reports how many were omitted. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

type Warn = (message: string, cause: unknown) => Effect.Effect<void>

export const make = (): Warn => {
  let lastAt = Number.NEGATIVE_INFINITY
  let omitted = 0
  return (message, cause) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - lastAt < 60_000) {
        omitted += 1
        return Effect.void
      }
      const before = omitted === 0 ? "" : ` Similar warnings omitted since the last one: ${omitted}.`
      lastAt = now
      omitted = 0
      return Effect.logWarning(message + before, cause)
    })
}
