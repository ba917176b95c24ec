/** Creates one Effect `CircuitBreaker` for each tool, over the store of the context. */
import type { Outcome } from "#domain/call/Outcome"
import type { CircuitPolicy } from "#domain/tool/Circuit"
import * as RetryPolicy from "#domain/tool/RetryPolicy"
import type { CircuitRejection } from "#services/Circuits"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"

/** Returns true if an outcome counts against its tool. */
export const isFailure = (outcome: Outcome): boolean =>
  outcome._tag === "Failure" && (outcome.failure._tag === "Transient" || outcome.failure._tag === "Resource")

/** Returns true if an outcome is neither a success nor a failure of its tool, because the attempt was refunded. */
export const isIgnored = (outcome: Outcome): boolean => outcome._tag === "Failure" && outcome.isRefund === true

interface Breakers {
  /** Runs an attempt if the tool's breaker admits it or the store fails. An attempt that ran keeps its outcome. */
  readonly through: (
    tool: string,
    policy: CircuitPolicy,
    attempt: Effect.Effect<Outcome>,
    onRejected: (rejection: CircuitRejection) => Outcome
  ) => Effect.Effect<Outcome>
}

export const make: Effect.Effect<Breakers, never, CircuitBreaker.CircuitBreakerStore | Scope.Scope> = Effect.gen(
  function* () {
    const scope = yield* Scope.Scope
    const store = yield* CircuitBreaker.CircuitBreakerStore
    const breakers = new Map<string, CircuitBreaker.CircuitBreaker>()

    const breakerOf = Effect.fnUntraced(function* (tool: string, policy: CircuitPolicy) {
      const known = breakers.get(tool)
      if (known !== undefined) return known
      const breaker = yield* CircuitBreaker.make({
        tripPolicy: CircuitBreaker.rate({
          threshold: policy.share,
          size: policy.window,
          minimumCalls: policy.minimum
        }),
        openDuration: openTimes(policy)
      }).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provideService(CircuitBreaker.CircuitBreakerStore, store)
      )
      breakers.set(tool, breaker)
      return breaker
    })

    return {
      through: (tool, policy, attempt, onRejected) =>
        Effect.flatMap(breakerOf(tool, policy), (breaker) => {
          let completed: Outcome | undefined
          return Effect.map(attempt, (outcome) => (completed = outcome)).pipe(
            breaker.execute({
              key: tool,
              classify: (exit) =>
                exit._tag === "Failure" || isIgnored(exit.value)
                  ? CircuitBreaker.ignored
                  : isFailure(exit.value)
                    ? CircuitBreaker.failure()
                    : CircuitBreaker.success
            }),
            Effect.catch(({ reason }): Effect.Effect<Outcome> =>
              completed !== undefined
                ? Effect.succeed(completed)
                : reason._tag === "CircuitBreakerStoreError"
                  ? attempt
                  : Effect.succeed(
                      onRejected({
                        retryAfter: reason._tag === "CircuitOpen" ? reason.retryAfter : Duration.seconds(1)
                      })
                    )
            )
          )
        })
    }
  }
)

/** Returns the open times of a circuit: doubling to the cap, with the equal jitter of retries. */
const openTimes = ({ capMillis, openMillis }: CircuitPolicy) =>
  Schedule.modifyDelay(Schedule.exponential(Duration.millis(openMillis)), ({ attempt }) =>
    Effect.map(Random.next, (random) =>
      Duration.millis(
        RetryPolicy.delayMillis({ attempts: 1, baseMillis: openMillis, capMillis, jitter: "equal" }, attempt, random)
      )
    )
  )
