/** Retries the steps of a store. A step that succeeds at once costs no schedule. */
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"

/** Retries a step after its failures, like `Effect.retry`. */
export const retry = <A, E>(
  step: Effect.Effect<A, E>,
  schedule: Schedule.Schedule<unknown, NoInfer<E>>
): Effect.Effect<A, E> =>
  Effect.catch(step, (first) => {
    let isFirst = true
    const attempt = Effect.suspend(() => {
      if (!isFirst) return step
      isFirst = false
      return Effect.fail(first)
    })
    return Effect.retry(attempt, schedule)
  })
