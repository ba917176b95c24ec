/**
 * Approvals that wake durable runs: a decision in any process resumes the run that waits for it.
 *
 * **When to use**
 *
 * In each process where approvers decide, wrap the store of approvals. For an inbox that runs alongside the runners:
 * `ApprovalsWaking.layer(OrderAgent.wake).pipe(Layer.provide([ApprovalsSql.layer, DurablePostgres.client()]))`.
 *
 * **Details**
 *
 * - The decision is stored before the run is woken. The run reads the decision from the store, and consumes the
 *   approval as any call does.
 * - If `wake` fails, the decision is kept and an error is logged. `wake` can be run again with the request.
 */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import { Approvals } from "#services/Approvals"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Calls `wake` after each stored decision: `DurableAgent.wake`, or a function that calls `wake` of several agents in
 * sequence.
 */
export const layer = <R>(
  wake: (request: ApprovalRequest) => Effect.Effect<unknown, unknown, R>
): Layer.Layer<Approvals, never, Approvals | R> =>
  Layer.effect(
    Approvals,
    Effect.gen(function* () {
      const approvals = yield* Approvals
      const services = yield* Effect.context<R>()
      return {
        ...approvals,
        decide: (id, deciding) =>
          Effect.tap(approvals.decide(id, deciding), (decided) =>
            decided._tag === "Taken"
              ? Effect.catchCause(Effect.suspend(() => wake(decided.request)).pipe(Effect.provide(services)), (cause) =>
                  Effect.logError("The decision is stored, but the run that waits for it could not be woken", cause)
                )
              : Effect.void
          )
      }
    })
  )
