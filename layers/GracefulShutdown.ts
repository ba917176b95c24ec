/**
 * Lets a program finish its calls before it stops.
 *
 * **When to use**
 *
 * - Around a program: `program.pipe(GracefulShutdown.run(), NodeRuntime.runMain)`. At SIGTERM or SIGINT, `runMain`
 *   interrupts the program, which first drains.
 * - Around a layer that is launched: `Layer.launch(GracefulShutdown.layer()(App))`. The layer drains before its
 *   services are closed.
 * - With a `ManagedRuntime` of such a layer: `await runtime.runPromise(GracefulShutdown.drain)`, then `await
 *   runtime.dispose()`.
 *
 * **Details**
 *
 * While the program drains:
 *
 * - new calls fail with Transient `shutting_down`, and new runs end as `Interrupted`; nothing was done
 * - handlers that are running may finish within the grace time, with the calls that they make; then they are interrupted
 * - other calls that wait for a slot, for a retry or for a person end immediately
 * - runs end after their current step; a run with a journal releases its lease, so that another process can resume it
 *
 * **Gotchas**
 *
 * - Only work that is tracked is waited for: calls, runs, and effects in `track`. Wrap each request of a server in
 *   `track`, so that its response is sent too.
 * - Work that ignores its interruption is abandoned 5 seconds after the grace time, with a warning. It may still act
 *   until `NodeRuntime.runMain` exits the process.
 */
import { Drain, type ProcessDrain } from "#services/Drain"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export interface GracefulShutdownOptions {
  /** How long calls and runs in progress may continue. Default 30 seconds. */
  readonly grace?: Duration.Input
}

/** How long interrupted work may take to end. */
const interruptionLimit = Duration.seconds(5)

/** A drain, and whether it has abandoned work. */
interface ShutdownParts {
  readonly draining: ProcessDrain
  readonly hasLeft: () => boolean
}

const create = ({ grace: graceInput = "30 seconds" }: GracefulShutdownOptions): Effect.Effect<ShutdownParts> =>
  Effect.sync(() => {
    const grace = Duration.fromInputUnsafe(graceInput)
    /** The fibers that run tracked work, with the names of the tracked effects of each. */
    const working = new Map<Fiber.Fiber<unknown, unknown>, Array<string>>()
    const listeners = new Set<() => void>()
    let onIdle: () => void = () => {}
    const drained = Deferred.makeUnsafe<void>()
    let isDraining = false
    let isGraceOver = false
    let hasLeft = false
    const enter = (fiber: Fiber.Fiber<unknown, unknown>, name: string) => {
      const names = working.get(fiber)
      if (names === undefined) working.set(fiber, [name])
      else names.push(name)
    }
    const leave = (fiber: Fiber.Fiber<unknown, unknown>) => {
      const names = working.get(fiber)
      names?.pop()
      if (names?.length === 0) working.delete(fiber)
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
    /** Waits until no work is in progress, even after the callers of the last work have continued. */
    const idle: Effect.Effect<void> = Effect.flatMap(Effect.andThen(allEnded, Effect.yieldNow), () =>
      working.size === 0 ? Effect.void : idle
    )
    /** Returns whether all work ends within a time. */
    const endsWithin = (limit: Duration.Duration) => Effect.map(Effect.timeoutOption(idle, limit), Option.isSome)
    const waiting = Effect.gen(function* () {
      if (working.size > 0) {
        yield* Effect.logInfo(
          `Shutting down: ${tasks(working.size)} in progress may finish within ${Duration.format(grace)}. New calls are refused.`
        )
      }
      if (yield* endsWithin(grace)) return
      yield* Effect.logWarning(
        `Shutting down: ${tasks(working.size)} exceeded the grace time of ${Duration.format(grace)} and ${isOrAre(working.size)} interrupted.`
      )
      isGraceOver = true
      for (const fiber of working.keys()) fiber.interruptUnsafe()
      if (yield* endsWithin(interruptionLimit)) return
      hasLeft = true
      yield* Effect.logWarning(
        `Shutting down: ${tasks(working.size)} did not end within ${Duration.format(interruptionLimit)} after the interruption and ${isOrAre(working.size)} abandoned: ${named([...working.values()].flat())}. The effect of a write among them is unknown.`
      )
    })
    const draining: ProcessDrain = {
      isDraining: () => isDraining,
      isGraceOver: () => isGraceOver,
      onStart: (notify) => {
        if (isDraining) {
          notify()
          return () => {}
        }
        const listener = () => notify()
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      track: (work, name = "unnamed work") =>
        Effect.withFiber((fiber) => {
          let isWorking = false
          const tracked = Effect.suspend(() => {
            isWorking = true
            enter(fiber, name)
            return work
          })
          return Effect.onExit(tracked, () => Effect.sync(() => (isWorking ? leave(fiber) : undefined)))
        }),
      drain: Effect.suspend(() => {
        if (isDraining) return Deferred.await(drained)
        start()
        // an interrupted caller stops waiting, and the drain continues
        return Effect.andThen(Effect.forkDetach(Deferred.into(waiting, drained)), Deferred.await(drained))
      })
    }
    return { draining, hasLeft: () => hasLeft }
  })

/** Creates a drain. */
export const make = (options: GracefulShutdownOptions = {}): Effect.Effect<ProcessDrain> =>
  Effect.map(create(options), ({ draining }) => draining)

/** Lists at most ten names. */
const named = (names: ReadonlyArray<string>): string =>
  names.length > 10 ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more` : names.join(", ")

const isOrAre = (count: number): string => (count === 1 ? "is" : "are")

const tasks = (count: number): string => (count === 1 ? "1 call or run" : `${count} calls and runs`)

/** Drains the running program, as at SIGTERM. Does nothing if the program has no drain. */
export const drain: Effect.Effect<void> = Effect.flatMap(Drain, (draining) => draining?.drain ?? Effect.void)

/**
 * Runs an effect as work in progress, for example a request of a server, so that draining waits for it. The warning
 * about abandoned work contains the name.
 */
export const track = <A, E, R>(work: Effect.Effect<A, E, R>, name?: string): Effect.Effect<A, E, R> =>
  Effect.flatMap(Drain, (draining) => (draining === undefined ? work : draining.track(work, name)))

/** Interrupts a program. If work was abandoned, waits for the end of the program for a limited time only. */
const end = (program: Fiber.Fiber<unknown, unknown>, hasLeft: boolean): Effect.Effect<void> => {
  if (!hasLeft) return Fiber.interrupt(program)
  return Effect.flatMap(Effect.timeoutOption(Fiber.interrupt(program), interruptionLimit), (ended) =>
    Option.isSome(ended)
      ? Effect.void
      : Effect.logWarning("Shutting down: the program is abandoned too. Its resources may not be released.")
  )
}

/** Drains a program before an interruption reaches it. */
export const run =
  (options: GracefulShutdownOptions = {}) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(create(options), ({ draining, hasLeft }) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          // a child would be waited for without a limit
          Effect.forkDetach(Effect.interruptible(Effect.provideService(program, Drain, draining)), {
            startImmediately: true
          }),
          (fiber) =>
            Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
              Effect.andThen(
                draining.drain,
                Effect.suspend(() => end(fiber, hasLeft()))
              )
            )
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
