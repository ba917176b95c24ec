/** Decides when a session ends after one of its sides has ended. */
import type { McpError } from "effect-toolguard/internal/mcp/wire/McpError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Relay from "./Relay.ts"

/** Fails as `ended` does, but first waits until `isQuiet` returns true, at most for the grace period. */
const afterAnswers = (
  ended: Effect.Effect<never, McpError>,
  isQuiet: () => boolean,
  gracePeriod: Duration.Input
): Effect.Effect<never, McpError> =>
  Effect.catch(ended, (error) =>
    Effect.repeat(Effect.sleep("20 millis"), { until: isQuiet }).pipe(
      Effect.timeoutOption(gracePeriod),
      Effect.andThen(Effect.fail(error))
    )
  )

/**
 * Fails when a side has ended and the running calls have been answered, but at most 60 seconds after the end of the
 * client or 10 seconds after the end of the server. `isQuiet` returns true if no request waits for its answer.
 * `onServerEnd` receives the end of the server immediately.
 */
export const untilEnded = (
  { client, server }: Relay.Sides,
  isQuiet: () => boolean,
  onServerEnd: (error: McpError) => void
): Effect.Effect<never, McpError> =>
  Effect.raceFirst(
    // a client may close its output before it has read the answers to its last requests
    afterAnswers(client.ended, isQuiet, "60 seconds"),
    // running calls still get their answers: a further attempt fails, so only a call that waits for a person takes long
    afterAnswers(
      Effect.tapError(server.ended, (error) => Effect.sync(() => onServerEnd(error))),
      isQuiet,
      "10 seconds"
    )
  )
