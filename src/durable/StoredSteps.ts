/**
 * Executes the steps of a durable run that are not stored, and returns the results of the others.
 *
 * **Details**
 *
 * - With a `StepStore`, the stored steps of a run are read once for each execution of its body, and the result of a step
 *   is written after its execution. Otherwise each step is an activity of the workflow engine.
 * - Both store the first result of a step. A runner that is late continues with the result of the other runner.
 * - A step starts only on the runner that owns the run. Any other runner abandons the body, so that the owner executes
 *   the step.
 */
import { type SavedStep, type StoredStep, StepStore } from "#services/StepStore"
import type { DurableRunsUnavailable } from "#services/DurableRuns"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import * as Cancellation from "./DurableCancellation.ts"
import * as SealedValue from "./SealedValue.ts"

/** Returns the stored result of a step, or executes and stores the step. */
export type StoredSteps = <S extends Schema.Codec<unknown, unknown>, R>(
  name: string,
  success: S,
  execute: Effect.Effect<SealedValue.StoredValue<S["Type"]>, never, R>
) => Effect.Effect<SealedValue.StoredValue<S["Type"]>, never, R>

/** How often a body that may not continue looks whether this process still owns its run. */
const interval = "200 millis"

/** `abandon` gives up this execution of the body, and stores nothing. */
export const make = (
  abandon: Effect.Effect<never>
): Effect.Effect<StoredSteps, never, WorkflowEngine | WorkflowInstance> =>
  Effect.gen(function* () {
    const [engine, instance, store] = [yield* WorkflowEngine, yield* WorkflowInstance, yield* StepStore]
    const services = Context.make(WorkflowEngine, engine).pipe(Context.add(WorkflowInstance, instance))
    if (store === undefined) {
      return <S extends Schema.Codec<unknown, unknown>, R>(
        name: string,
        success: S,
        execute: Effect.Effect<SealedValue.StoredValue<S["Type"]>, never, R>
      ) => {
        const schema: Schema.Codec<SealedValue.StoredValue<S["Type"]>, unknown> = SealedValue.stored(success)
        const activity = Activity.make<R, typeof schema>({ name, success: schema, execute })
        // @effect-diagnostics-next-line unsafeEffectTypeAssertion:off -- an activity requires what its step requires, and the engine, which is provided here
        return Effect.provide(activity as Effect.Effect<SealedValue.StoredValue<S["Type"]>, never, R>, services)
      }
    }
    const of = { agent: instance.workflow._tag, execution: instance.executionId }
    const stored = yield* Effect.cached(Cancellation.retryWrite(store.load(of)))
    /** Waits until this process has lost the run: the engine would start an abandoned body of its own run again. */
    const leave = Effect.suspend(() => Effect.sleep(store.isOwner(of.execution) ? interval : 0)).pipe(
      Effect.repeat({ while: () => store.isOwner(of.execution) }),
      Effect.andThen(abandon)
    )
    return <S extends Schema.Codec<unknown, unknown>, R>(
      name: string,
      success: S,
      execute: Effect.Effect<SealedValue.StoredValue<S["Type"]>, never, R>
    ) => {
      const codec = SealedValue.codecOf<S["Type"]>(success)
      const read = (step: StoredStep) =>
        step._tag === "Defect" ? Effect.die(step.defect) : Effect.orDie(codec.decode(step.value))
      const executed = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const value = yield* restore(execute)
          const encoded = yield* Effect.orDie(codec.encode(value))
          return [value, yield* saving(store.save(of, name, encoded))] as const
        })
      ).pipe(
        Effect.flatMap(([value, saved]) => {
          if (saved._tag === "Saved") return Effect.succeed(value)
          return saved._tag === "Earlier" ? read(saved.step) : leave
        })
      )
      const step = Effect.flatMap(stored, (steps) => {
        const found = steps.get(name)
        if (found !== undefined) return read(found)
        return store.isOwner(of.execution) ? executed : leave
      })
      // the engine does not suspend the run during the step
      return Effect.provideService(
        Workflow.wrapActivityResult(step, () => false),
        WorkflowInstance,
        instance
      )
    }
  })

/** Repeats the write of a result until it succeeds. Only the pauses are interruptible: the result exists only here. */
const saving = Effect.fnUntraced(function* (save: Effect.Effect<SavedStep, DurableRunsUnavailable>) {
  for (let pause = 200; ; pause = Math.min(pause * 2, 10_000)) {
    const saved = yield* Effect.catch(save, (error) =>
      Effect.as(
        Effect.logWarning("The result of a step could not be stored. It is stored again later.", error),
        undefined
      )
    )
    if (saved !== undefined) return saved
    yield* Effect.interruptible(Effect.sleep(Duration.millis(pause)))
  }
})
