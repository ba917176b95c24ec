/** [15.1] Runs statements of the stores, with spans only if the layer or the caller requests them. */
import { StatementTracing } from "#services/StatementTracing"
import * as Effect from "effect/Effect"
import * as References from "effect/References"

export type Run = <A, E, R>(step: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Reads whether the layer that is being built requests spans, and returns the function that runs statements. */
export const make: Effect.Effect<Run> = Effect.map(
  StatementTracing,
  (isOnForLayer): Run =>
    (step) =>
      isOnForLayer
        ? step
        : Effect.flatMap(StatementTracing, (isOn) =>
            isOn ? step : Effect.provideService(step, References.TracerEnabled, false)
          )
)
