/**
 * Lets a program finish its calls before it stops.
 *
 * **When to use**
 *
 * - Around a program: `program.pipe(GracefulShutdown.run(), NodeRuntime.runMain)`. At SIGTERM or SIGINT, `runMain`
 *   interrupts the program, which first drains.
 * - Around a layer that is launched: `Layer.launch(GracefulShutdown.layer()(App))`. The layer drains before its services
 *   are closed.
 * - With a `ManagedRuntime` of such a layer: `await runtime.runPromise(GracefulShutdown.drain)`, then
 *   `await runtime.dispose()`.
 *
 * **Details**
 *
 * While the program drains:
 *
 * - new calls fail with Transient `shutting_down`, and new runs end as `Interrupted`; nothing was done
 * - handlers that are running may finish within the grace time; then they are interrupted
 * - calls that wait for a slot, for a retry or for a person end at once
 * - runs end after their current step; a run with a journal gives its lease back, so that another process can resume it
 *
 * **Gotchas**
 *
 * Only work that is tracked is waited for: calls, runs, and what `track` wraps. Wrap each request of a server in `track`,
 * so that its response is sent too.
 */
import { Drain, type Draining } from "#services/Drain"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"

export interface GracefulShutdownOptions {
  /** How long calls and runs in progress may continue. Default 30 seconds. */
  readonly grace?: Duration.Input
}

/** Creates a drain. */
export const make = ({ grace: graceInput = "30 seconds" }: GracefulShutdownOptions = {}): Effect.Effect<Draining> =>
  Effect.sync(() => {
    const grace = Duration.fromInputUnsafe(graceInput)
    /** The fibers that run tracked work, with the number of tracked effects of each. */
    const working = new Map<Fiber.Fiber<unknown, unknown>, number>()
    const listeners = new Set<() => void>()
    let onIdle: () => void = () => {}
    const drained = Deferred.makeUnsafe<void>()
    let isDraining = false
    const enter = (fiber: Fiber.Fiber<unknown, unknown>) => void working.set(fiber, (working.get(fiber) ?? 0) + 1)
    const leave = (fiber: Fiber.Fiber<unknown, unknown>) => {
      const count = working.get(fiber) ?? 1
      if (count > 1) working.set(fiber, count - 1)
      else working.delete(fiber)
      if (working.size === 0) onIdle()
    }
    const start = () => {
      isDraining = true
      const notified = [...listeners]
      listeners.clear()
      for (const notify of notified) notify()
    }
    const allEnded = Effect.callback<void>((resume) => {
      if (working.size === 0) return resume(Effect.void)
      onIdle = () => resume(Effect.void)
    })
    /** Waits until no work is in progress, also after the callers of the last work have continued with its results. */
    const idle: Effect.Effect<void> = Effect.flatMap(Effect.andThen(allEnded, Effect.yieldNow), () =>
      working.size === 0 ? Effect.void : idle
    )
    const waiting = Effect.gen(function* () {
      start()
      if (working.size > 0) {
        yield* Effect.logInfo(
          `Shutting down: ${tasks(working.size)} in progress may finish within ${Duration.format(grace)}. New calls are refused.`
        )
      }
      const isIdle = yield* Effect.timeoutOption(idle, grace)
      if (isIdle._tag === "Some") return
      yield* Effect.logWarning(
        `Shutting down: ${tasks(working.size)} exceeded the grace time of ${Duration.format(grace)} and ${working.size === 1 ? "is" : "are"} interrupted.`
      )
      yield* Fiber.interruptAll([...working.keys()])
    })
    return {
      isDraining: () => isDraining,
      onStart: (notify) => {
        if (isDraining) {
          notify()
          return () => {}
        }
        const listener = () => notify()
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      track: (work) =>
        Effect.withFiber((fiber) => {
          let isWorking = false
          const tracked = Effect.suspend(() => {
            isWorking = true
            enter(fiber)
            return work
          })
          return Effect.onExit(tracked, () => Effect.sync(() => (isWorking ? leave(fiber) : undefined)))
        }),
      drain: Effect.suspend(() =>
        isDraining
          ? Deferred.await(drained)
          : Effect.ensuring(
              waiting,
              Effect.sync(() => Deferred.doneUnsafe(drained, Effect.void))
            )
      )
    }
  })

const tasks = (count: number): string => (count === 1 ? "1 call or run" : `${count} calls and runs`)

/** Drains the running program, as at SIGTERM. Does nothing if the program has no drain. */
export const drain: Effect.Effect<void> = Effect.flatMap(Drain, (draining) => draining?.drain ?? Effect.void)

/** Runs an effect as work in progress, for example a request of a server, so that draining waits for it. */
export const track = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Drain, (draining) => (draining === undefined ? work : draining.track(work)))

/** Drains a program before an interruption reaches it. */
export const run =
  (options: GracefulShutdownOptions = {}) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(make(options), (draining) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          Effect.forkChild(Effect.interruptible(Effect.provideService(program, Drain, draining)), {
            startImmediately: true
          }),
          (fiber) =>
            Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.andThen(draining.drain, Fiber.interrupt(fiber)))
        )
      )
    )

/**
 * Provides a drain to a layer. The program drains when the scope of the layer closes, before the services of the layer
 * are released.
 */
export const layer =
  (options: GracefulShutdownOptions = {}) =>
  <A, E, R>(app: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.unwrap(
      Effect.map(make(options), (draining) =>
        Layer.effectDiscard(Effect.addFinalizer(() => draining.drain)).pipe(
          Layer.provideMerge(app),
          Layer.provideMerge(Layer.succeed(Drain, draining))
        )
      )
    )
