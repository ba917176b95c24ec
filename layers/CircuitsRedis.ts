/**
 * Circuits that processes share: Effect's `CircuitBreaker` with its store in Redis.
 *
 * **Details**
 *
 * - Each attempt is admitted by Redis and reported to it, so that all processes share the state of a tool. Redis provides the
 *   time.
 * - A successful probe closes the circuit; unlike `CircuitsMemory`, no ramp follows.
 *
 * **Gotchas**
 *
 * While Redis is unavailable every attempt runs uncounted, and a warning is logged once a minute.
 */
import { Circuits } from "#services/Circuits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type * as Redis from "effect/persistence/Redis"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Breakers from "#layers/internal/stores/Breakers"
import * as Fallback from "#layers/internal/redis/Fallback"

export interface CircuitsRedisOptions {
  /** The prefix of every key. Default `toolguard:`. */
  readonly prefix?: string
}

type Store = CircuitBreaker.CircuitBreakerStore["Service"]

/** The admission of an attempt while Redis is unavailable. No circuit has this generation, so the attempt is not reported. */
const uncounted: CircuitBreaker.Admission = {
  generation: -1,
  probe: false,
  consecutiveOpenings: 0,
  transition: undefined
}

const isUnavailable = ({ reason }: CircuitBreaker.CircuitBreakerError): boolean =>
  reason._tag === "CircuitBreakerStoreError"

const storeWithFallback = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  Effect.gen(function* () {
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const orElse = yield* Fallback.make("Every attempt runs in the meantime.")
    const admit: Store["admit"] = (key) =>
      Effect.flatMap(Effect.scope, (scope) => {
        const answer = Effect.result(Effect.provideService(store.admit(key), Scope.Scope, scope))
        return Effect.flatMap(
          orElse(
            Effect.flatMap(answer, (result) =>
              Result.isFailure(result) && isUnavailable(result.failure)
                ? Effect.fail(result.failure)
                : Effect.succeed(result)
            ),
            () => Result.succeed(uncounted)
          ),
          Effect.fromResult
        )
      })
    return {
      admit,
      record: (options) =>
        options.generation === uncounted.generation
          ? Effect.succeed(undefined)
          : orElse(store.record(options), () => undefined),
      state: store.state
    }
  })
)

/** Circuits in the Redis of the context. */
export const layerWith = ({ prefix = "toolguard:" }: CircuitsRedisOptions): Layer.Layer<Circuits, never, Redis.Redis> =>
  Layer.effect(
    Circuits,
    Effect.map(Breakers.make, ({ through }) => ({ execute: through }))
  ).pipe(
    Layer.provide(storeWithFallback),
    Layer.provide(CircuitBreaker.layerStoreRedis({ prefix: `${prefix}circuit:` }))
  )

/** Circuits in the Redis of the context, with the default prefix. */
export const layer: Layer.Layer<Circuits, never, Redis.Redis> = layerWith({})
