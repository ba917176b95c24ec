/**
 * Unknown outcomes that wake durable runs: a settlement in any process resumes the run that waits for it.
 *
 * Wrap the store in each process where people settle outcomes:
 * `UnknownOutcomesWaking.layer(OrderAgent.wake).pipe(Layer.provide([UnknownOutcomesSql.layer, DurablePostgres.client()]))`.
 *
 * The settlement is stored before the run is woken. If `wake` fails, the settlement is kept and an error is logged;
 * `wake` can be run again with the outcome.
 */
import type { UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Calls `wake` after each stored settlement: `DurableAgent.wake`, or a function that calls `wake` of several agents.
 */
export const layer = <R>(
  wake: (outcome: UnknownOutcome) => Effect.Effect<unknown, unknown, R>
): Layer.Layer<UnknownOutcomes, never, UnknownOutcomes | R> =>
  Layer.effect(
    UnknownOutcomes,
    Effect.gen(function* () {
      const outcomes = yield* UnknownOutcomes
      const services = yield* Effect.context<R>()
      return {
        ...outcomes,
        settle: (id, settling) =>
          Effect.tap(outcomes.settle(id, settling), (settled) =>
            settled?._tag === "Taken"
              ? Effect.catchCause(Effect.suspend(() => wake(settled.outcome)).pipe(Effect.provide(services)), (cause) =>
                  Effect.logError("The settlement is stored, but the run that waits for it could not be woken", cause)
                )
              : Effect.void
          )
      }
    })
  )
