/**
 * Circuits in this process, on Effect's `CircuitBreaker`.
 *
 * The calls of a tool that has not failed since its last success skip the breaker, because a success does not change a
 * closed circuit without failures. After a failure the tool's calls go through the breaker until the circuit is closed
 * again.
 */
import { Circuits } from "#services/Circuits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Breakers from "#layers/internal/stores/Breakers"

/** One circuit for each tool. */
export const layer: Layer.Layer<Circuits> = Layer.effect(
  Circuits,
  Effect.map(Breakers.make, ({ isClosed, through }) => {
    const failing = new Set<string>()
    const removeIfClosed = (tool: string) =>
      Effect.map(isClosed(tool), (isClosedNow) => {
        if (isClosedNow) failing.delete(tool)
      })
    return {
      isShared: false,
      execute: (tool, policy, attempt, onRejected) =>
        failing.has(tool)
          ? Effect.tap(through(tool, policy, attempt, onRejected), (outcome) =>
              Breakers.isFailure(outcome) ? Effect.void : removeIfClosed(tool)
            )
          : Effect.flatMap(attempt, (outcome) => {
              if (!Breakers.isFailure(outcome) || Breakers.isIgnored(outcome)) return Effect.succeed(outcome)
              failing.add(tool)
              // only reports the outcome: the attempt has run, and keeps its outcome even if the circuit is open by now
              return through(tool, policy, Effect.succeed(outcome), () => outcome)
            })
    }
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
