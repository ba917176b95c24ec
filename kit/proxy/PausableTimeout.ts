/**
 * Provides timeouts that pause while a server waits for its client, because a person may be reading the server's
 * question.
 */
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The timeouts of one session. */
export interface PausableTimeout {
  /** Pauses all timeouts, because the server has asked the client something. Pauses may overlap. */
  readonly pause: Effect.Effect<void>
  /** Ends one pause, because the client has answered. */
  readonly resume: Effect.Effect<void>
  /** Fails an effect that takes longer than `millis`, not counting pauses. */
  readonly within: <A>(
    effect: Effect.Effect<A, McpError>,
    millis: number,
    late: () => McpError
  ) => Effect.Effect<A, McpError>
}

/** The interval at which a timeout checks whether a pause has ended, in milliseconds. */
const interval = 250

/** Creates the timeouts of a session, which are not paused at first. */
export const make = (): PausableTimeout => {
  let open = 0
  let since = 0
  let closed = 0
  const waited = (now: number) => closed + (open > 0 ? now - since : 0)
  const limit = (millis: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const before = waited(start)
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const left = millis - (now - start) + (waited(now) - before)
        if (left <= 0) return
        yield* Effect.sleep(open > 0 ? Math.min(interval, left) : left)
      }
    })
  return {
    pause: Effect.map(Clock.currentTimeMillis, (now) => {
      if (open === 0) since = now
      open += 1
    }),
    resume: Effect.map(Clock.currentTimeMillis, (now) => {
      open -= 1
      if (open === 0) closed += now - since
    }),
    within: (effect, millis, late) =>
      Effect.raceFirst(
        effect,
        Effect.andThen(
          limit(millis),
          Effect.suspend(() => Effect.fail(late()))
        )
      )
  }
}
