/**
 * Circuits of all processes, on Effect's `CircuitBreaker` with its store in Redis.
 *
 * **Details**
 *
 * Each attempt asks Redis and reports to it: what one process learns of a tool holds for all. Time is the server's.
 *
 * **Gotchas**
 *
 * Where Redis is away every attempt is made, none is counted, and a warning says so once a minute.
 */
import { Circuits } from "#services/Circuits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type * as Redis from "effect/persistence/Redis"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Breakers from "#layers/internal/stores/breakers"
import * as Lenient from "#layers/internal/redis/lenient"

export interface CircuitsRedisOptions {
  /** In front of every key. Default `toolguard:`. */
  readonly prefix?: string
}

type Store = CircuitBreaker.CircuitBreakerStore["Service"]

/** What an attempt is given while Redis is away. No circuit has this generation, so nothing is reported of it. */
const uncounted: CircuitBreaker.Admission = {
  generation: -1,
  probe: false,
  consecutiveOpenings: 0,
  transition: undefined
}

const isAway = ({ reason }: CircuitBreaker.CircuitBreakerError): boolean => reason._tag === "CircuitBreakerStoreError"

const lenientStore = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  Effect.gen(function* () {
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const lenient = yield* Lenient.make("Every attempt is made meanwhile.")
    const admit: Store["admit"] = (key) =>
      Effect.flatMap(Effect.scope, (scope) => {
        const answer = Effect.result(Effect.provideService(store.admit(key), Scope.Scope, scope))
        return Effect.flatMap(
          lenient(
            Effect.flatMap(answer, (result) =>
              Result.isFailure(result) && isAway(result.failure) ? Effect.fail(result.failure) : Effect.succeed(result)
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
          : lenient(store.record(options), () => undefined),
      state: store.state
    }
  })
)

export const layerWith = ({ prefix = "toolguard:" }: CircuitsRedisOptions): Layer.Layer<Circuits, never, Redis.Redis> =>
  Layer.effect(
    Circuits,
    Effect.map(Breakers.make, ({ through }) => ({ execute: through }))
  ).pipe(Layer.provide(lenientStore), Layer.provide(CircuitBreaker.layerStoreRedis({ prefix: `${prefix}circuit:` })))

export const layer: Layer.Layer<Circuits, never, Redis.Redis> = layerWith({})
