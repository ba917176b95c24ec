/**
 * Circuits in this process, on Effect's `CircuitBreaker`.
 *
 * A tool that has not failed since its last success needs no breaker: its circuit is closed with a count of zero, and a
 * success changes nothing there. Its calls pass without asking; the first failure is reported and from then on each
 * call goes through the breaker until it has closed again.
 */
import { Circuits } from "#services/Circuits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Breakers from "#layers/internal/stores/breakers"

export const layer: Layer.Layer<Circuits> = Layer.effect(
  Circuits,
  Effect.map(Breakers.make, ({ isClosed, through }) => {
    const failing = new Set<string>()
    const healed = (tool: string) =>
      Effect.map(isClosed(tool), (isIt) => {
        if (isIt) failing.delete(tool)
      })
    return {
      execute: (tool, policy, attempt, onRejected) =>
        failing.has(tool)
          ? Effect.tap(through(tool, policy, attempt, onRejected), (outcome) =>
              Breakers.isFailure(outcome) ? Effect.void : healed(tool)
            )
          : Effect.flatMap(attempt, (outcome) => {
              if (!Breakers.isFailure(outcome) || Breakers.isIgnored(outcome)) return Effect.succeed(outcome)
              failing.add(tool)
              // reported late: whatever the circuit says meanwhile, the attempt was made
              return through(tool, policy, Effect.succeed(outcome), () => outcome)
            })
    }
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
