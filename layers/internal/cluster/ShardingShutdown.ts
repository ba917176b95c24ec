/** Polls the sharding of Effect's cluster for its shutdown, for which sharding has no event. */
import { RunnerShutdown } from "#services/RunnerShutdown"
import { Sharding } from "effect/cluster/Sharding"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"

/** How often a step that was left to another runner looks for the shutdown. */
const interval = "50 millis"

export const layer: Layer.Layer<never, never, Sharding> = Layer.effect(
  RunnerShutdown,
  Effect.map(Sharding, ({ isShutdown }) =>
    Effect.asVoid(Effect.repeat(isShutdown, { until: (isDone) => isDone, schedule: Schedule.spaced(interval) }))
  )
)
