/**
 * Circuits in this process, on Effect's `CircuitBreaker`.
 *
 * A tool that has not failed since its last success needs no breaker: its circuit is closed with a count of zero, and a
 * success changes nothing there. Its calls pass without asking; the first failure is reported and from then on each
 * call goes through the breaker until it has closed again.
 */
import type { Outcome } from "#domain/Outcome"
import { type CircuitPolicy, type CircuitRejection, Circuits } from "#services/Circuits"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Scope from "effect/Scope"

const isFailure = (outcome: Outcome): boolean =>
  outcome._tag === "Failure" && (outcome.failure._tag === "Transient" || outcome.failure._tag === "Resource")

const isIgnored = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.isRefund === true

export const layer: Layer.Layer<Circuits> = Layer.effect(
  Circuits,
  Effect.gen(function* () {
    const scope = yield* Scope.Scope
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const breakers = new Map<string, CircuitBreaker.CircuitBreaker>()
    const failing = new Set<string>()

    const breakerOf = Effect.fnUntraced(function* (tool: string, policy: CircuitPolicy) {
      const known = breakers.get(tool)
      if (known !== undefined) return known
      const made = yield* CircuitBreaker.make({
        tripPolicy: CircuitBreaker.consecutive(policy.failures),
        openDuration: policy.openFor
      }).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provideService(CircuitBreaker.CircuitBreakerStore, store)
      )
      breakers.set(tool, made)
      return made
    })

    const through = (
      tool: string,
      policy: CircuitPolicy,
      attempt: Effect.Effect<Outcome>,
      onRejected: (rejection: CircuitRejection) => Outcome
    ): Effect.Effect<Outcome> =>
      Effect.flatMap(breakerOf(tool, policy), (breaker) => {
        let made: Outcome | undefined
        return Effect.map(attempt, (outcome) => (made = outcome)).pipe(
          breaker.execute({
            key: tool,
            classify: (exit) =>
              exit._tag === "Failure" || isIgnored(exit.value)
                ? CircuitBreaker.ignored
                : isFailure(exit.value)
                  ? CircuitBreaker.failure()
                  : CircuitBreaker.success
          }),
          Effect.tap((outcome) => (isFailure(outcome) ? Effect.void : closed(tool, breaker))),
          Effect.catch(({ reason }): Effect.Effect<Outcome> =>
            made !== undefined
              ? Effect.succeed(made)
              : reason._tag === "CircuitBreakerStoreError"
                ? attempt
                : Effect.succeed(
                    onRejected({ retryAfter: reason._tag === "CircuitOpen" ? reason.retryAfter : Duration.seconds(1) })
                  )
          )
        )
      })

    const closed = (tool: string, breaker: CircuitBreaker.CircuitBreaker) =>
      Effect.map(
        Effect.orElseSucceed(breaker.state(tool), () => undefined),
        (state) => {
          if (state?._tag === "Closed") failing.delete(tool)
        }
      )

    return {
      execute: (tool, policy, attempt, onRejected) =>
        failing.has(tool)
          ? through(tool, policy, attempt, onRejected)
          : Effect.flatMap(attempt, (outcome) => {
              if (!isFailure(outcome) || isIgnored(outcome)) return Effect.succeed(outcome)
              failing.add(tool)
              // reported late: whatever the circuit says meanwhile, the attempt was made
              return through(tool, policy, Effect.succeed(outcome), () => outcome)
            })
    }
  })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
