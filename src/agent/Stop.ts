/**
 * Stops a run from outside: when its `maxTime` has passed, or when its `interruptWhen` has completed.
 *
 * Both are started once and apply to the whole run. After either, no new step starts.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type StopCause = { readonly _tag: "TimedOut" } | { readonly _tag: "Interrupted" }

/** Completes when the run must stop. */
export type Stop = Deferred.Deferred<StopCause>

interface StopOptions {
  readonly maxTime?: Duration.Input
  readonly interruptWhen?: Effect.Effect<unknown>
}

/** Starts the timer and `interruptWhen`, until the scope closes. An `interruptWhen` that fails does not end the run. */
export const watch = ({ interruptWhen, maxTime }: StopOptions): Effect.Effect<Stop, never, Scope.Scope> =>
  Effect.gen(function* () {
    const stop = yield* Deferred.make<StopCause>()
    if (maxTime !== undefined) {
      const time = Duration.fromInputUnsafe(maxTime)
      const timedOut = Deferred.succeed<StopCause, never>(stop, { _tag: "TimedOut" })
      if (Duration.toMillis(time) <= 0) yield* timedOut
      else if (Duration.isFinite(time)) yield* fork(Effect.andThen(Effect.sleep(time), timedOut))
    }
    if (interruptWhen !== undefined) {
      yield* fork(
        Effect.catchCause(
          Effect.andThen(interruptWhen, Deferred.succeed<StopCause, never>(stop, { _tag: "Interrupted" })),
          (cause) => Effect.logWarning("The run can no longer be interrupted: its `interruptWhen` failed", cause)
        )
      )
    }
    return stop
  })

const fork = (effect: Effect.Effect<unknown>) => Effect.forkScoped(effect, { startImmediately: true })

/** Returns the reason to stop the run; undefined if the run may continue. */
export const stopped = (stop: Stop): Effect.Effect<StopCause | undefined> =>
  Effect.suspend(() => (Deferred.isDoneUnsafe(stop) ? Deferred.await(stop) : Effect.succeed(undefined)))

export type StoppableResult<A> = { readonly _tag: "Done"; readonly value: A } | StopCause

/** Runs an effect, and interrupts it when the run stops. If the run has already stopped, the effect is not started. */
export const until = <A, R>(
  stop: Stop,
  effect: Effect.Effect<A, never, R>
): Effect.Effect<StoppableResult<A>, never, R> =>
  Effect.flatMap(stopped(stop), (reason): Effect.Effect<StoppableResult<A>, never, R> => {
    if (reason !== undefined) return Effect.succeed(reason)
    const done: Effect.Effect<StoppableResult<A>, never, R> = Effect.map(effect, (value) => ({ _tag: "Done", value }))
    return Effect.raceFirst(done, Deferred.await(stop))
  })
