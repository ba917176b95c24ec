/**
 * Deletes expired rows now and every ten minutes until the layer closes. A failure is logged, and the next sweep tries
 * again.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as StatementSpans from "./StatementSpans.ts"
import type { Time } from "./StoreTime.ts"

/** Starts the sweeps. `sweep` gets the time of the database. */
export const start = <A, E>(
  time: Effect.Effect<Time>,
  sweep: (time: Time) => Effect.Effect<A, E>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(StatementSpans.make, (run) => run(Effect.flatMap(time, sweep))).pipe(
    Effect.catchCause((cause) => Effect.logDebug("A sweep of the stores failed", cause)),
    Effect.repeat(Schedule.spaced("10 minutes")),
    Effect.forkScoped,
    Effect.asVoid
  )
