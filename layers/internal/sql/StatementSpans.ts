/** [15.1] Runs statements of the stores, with spans only on request. */
import { StatementTracing } from "#services/StatementTracing"
import * as Effect from "effect/Effect"
import * as References from "effect/References"

export const ifRequested = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(StatementTracing, (isOn) =>
    isOn ? step : Effect.provideService(step, References.TracerEnabled, false)
  )
