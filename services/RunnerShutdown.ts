/**
 * Completes when the workflow engine of this process has started to shut down. Steps of durable runs that were left to
 * another runner then end immediately. If they ended earlier, the engine would store their end as a result. By default, the
 * effect never completes, as for an engine whose runs do not move.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const RunnerShutdown = Context.Reference<Effect.Effect<void>>("effect-toolguard/RunnerShutdown", {
  defaultValue: () => Effect.never
})
