/**
 * Approvals that wake durable runs: whoever decides at the inbox or from the terminal, in whatever process, the run that waits
 * goes on. Put it around the store of the approvals where decisions are made.
 *
 * **Example** (an inbox beside the runners)
 *
 * `ApprovalsWaking.layer(OrderAgent.wake).pipe(Layer.provide([ApprovalsSql.layer, DurablePostgres.client()]))`
 *
 * **Details**
 *
 * - The decision is in the store before the run is woken; the run asks there again, and uses the approval as any call does.
 * - Where the engine does not answer the decision stays, and the log says so: `wake` may be run again with the request.
 */
import type { ApprovalRequest } from "#domain/approval/ApprovalRequest"
import { Approvals } from "#services/Approvals"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `wake`: `DurableAgent.wake`, or several of them one after the other. */
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
                  Effect.logError("A run could not be woken by its decision", cause)
                )
              : Effect.void
          )
      }
    })
  )
