/**
 * Leaves a durable run to another runner, because this process is shutting down.
 *
 * **Details**
 *
 * - A step that is left waits until the workflow engine shuts down, because an earlier end would be stored as the result
 *   of the step. Then it interrupts itself with the annotation `Abandon` of Effect's cluster, and so does the body of the
 *   workflow: nothing is stored, this runner releases the run, and the next owner executes the step.
 * - An activity repeats an interrupted step, unless its instance is suspended. An instance that is also abandoned stores
 *   no suspension.
 */
import { RunnerShutdown } from "#services/RunnerShutdown"
import { Abandon } from "effect/cluster/ClusterSchema"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { WorkflowInstance } from "effect/workflow/WorkflowEngine"

/** The hand-over of one execution of a body. */
interface HandOver {
  /** Leaves the step that the fiber executes. Ends when the engine shuts down. */
  readonly leave: Effect.Effect<never>
  /** Gives up this execution of the body now. Used if this process does not own the run any more. */
  readonly abandon: Effect.Effect<never>
  /** Runs the body, and abandons it as soon as a step was left and the engine shuts down. */
  readonly around: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<HandOver> = Effect.gen(function* () {
  const shutdown = yield* RunnerShutdown
  const left = yield* Deferred.make<void>()
  return {
    abandon: Effect.andThen(Deferred.succeed(left, undefined), abandon),
    leave: Effect.andThen(Effect.andThen(shutdown, Deferred.succeed(left, undefined)), abandon),
    around: (body) => Effect.raceFirst(body, Effect.andThen(Deferred.await(left), abandon))
  }
})

/** Gives up the execution of an activity or of a body, so that it stores nothing. */
const abandon: Effect.Effect<never> = Effect.gen(function* () {
  const instance = Option.getOrUndefined(yield* Effect.serviceOption(WorkflowInstance))
  if (instance !== undefined) Object.assign(instance, { abandoned: true, suspended: true })
  return yield* Effect.interruptible(
    Effect.callback<never>(() => {
      const fiber = Fiber.getCurrent()
      fiber?.interruptUnsafe(fiber.id, Abandon.annotation)
    })
  )
})
