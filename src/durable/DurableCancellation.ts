/**
 * Stops cancelled runs. The row of a run records its cancellation. This process stops a cancelled run whose body is
 * active here, and wakes a suspended run so that the run reaches its end.
 *
 * **Details**
 *
 * - A body that replays stored steps is not stopped before its first executed step, so that the end of a cancelled run
 *   contains everything that the run has done.
 * - A cancelled run executes no further step. A running handler is interrupted.
 */
import type { DurableRunsStore, DurableRunsUnavailable } from "#services/DurableRuns"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { Stop, StopCause } from "#src/agent/Stop"

/** The cancellation of one active body. */
export interface Cancellation {
  /** True if the run was cancelled. */
  readonly isRequested: () => boolean
  /** Cancels the run. */
  readonly request: Effect.Effect<void>
  /** Called before a step is executed. Stops the run if it was cancelled. */
  readonly executing: Effect.Effect<void>
  /** Stops the run now. */
  readonly stop: Effect.Effect<void>
}

export const make = (stop: Stop): Cancellation => {
  let isRequested = false
  let isLive = false
  const stopping = Effect.asVoid(Deferred.succeed<StopCause, never>(stop, { _tag: "Interrupted" }))
  return {
    isRequested: () => isRequested,
    request: Effect.suspend(() => {
      isRequested = true
      return isLive ? stopping : Effect.void
    }),
    executing: Effect.suspend(() => {
      isLive = true
      return isRequested ? stopping : Effect.void
    }),
    stop: stopping
  }
}

/** The active bodies of a runner, by the id of their run in the workflow engine. */
export type ActiveRuns = Map<string, Cancellation>

/** Stops a cancelled run if its body is active here, and wakes it if it is suspended. */
export const apply = (
  active: ActiveRuns,
  workflow: Workflow.Any,
  execution: string
): Effect.Effect<void, never, WorkflowEngine> =>
  Effect.suspend(() => {
    const running = active.get(execution)
    return running !== undefined
      ? running.request
      : Effect.flatMap(WorkflowEngine, (engine) => engine.resume(workflow, execution))
  })

/** Applies the cancellations of other processes, until the scope closes. */
export const watch = (
  store: DurableRunsStore,
  active: ActiveRuns,
  workflow: Workflow.Any
): Effect.Effect<void, never, WorkflowEngine> =>
  store.interval === undefined
    ? Effect.void
    : store.cancelling(workflow._tag).pipe(
        Effect.flatMap((executions) =>
          Effect.forEach(executions, (execution) => apply(active, workflow, execution), { discard: true })
        ),
        Effect.catchCause((cause) => Effect.logDebug("Cancelled runs could not be read", cause)),
        Effect.repeat(Schedule.spaced(store.interval)),
        Effect.asVoid
      )

/** Retries a write of a row until it succeeds: the workflow engine needs the same database for its next step anyway. */
export const retryWrite = <A>(step: Effect.Effect<A, DurableRunsUnavailable>): Effect.Effect<A> =>
  step.pipe(
    Effect.tapError((error) => Effect.logWarning("The row of a durable run could not be written", error)),
    Effect.retry(Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("30 seconds")])),
    Effect.orDie
  )
