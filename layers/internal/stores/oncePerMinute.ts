/** A warning that is said at most once a minute, however often there is reason for it, and says how often there was. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export type Warn = (message: string, cause: unknown) => Effect.Effect<void>

export const oncePerMinute = (): Warn => {
  let lastAt = Number.NEGATIVE_INFINITY
  let kept = 0
  return (message, cause) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - lastAt < 60_000) {
        kept += 1
        return Effect.void
      }
      const before = kept === 0 ? "" : ` (and ${kept} times since this was last said)`
      lastAt = now
      kept = 0
      return Effect.logWarning(message + before, cause)
    })
}
