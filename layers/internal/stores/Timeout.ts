/**
 * Limits how long a step of a store may take.
 *
 * With the real clock this is a plain timer and one fiber: `Effect.timeout`, which has two fibers and an effect that
 * sleeps, took a third of the time of a statement of Redis. With any other clock it is `Effect.timeout`, so that tests
 * control the time.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

const callers = new WeakMap<Fiber.Fiber<unknown, unknown>, number>()

/** Returns the id of the fiber that waits for the steps of a fiber: its own, if it runs no step of another. */
export const callerOf = (fiber: Fiber.Fiber<unknown, unknown>): number => callers.get(fiber) ?? fiber.id

const realClock = Context.get(Context.empty(), Clock.Clock)

/**
 * Runs a step for at most `limit`, then interrupts it and fails with a `TimeoutError`. The step can be interrupted, also
 * where its caller cannot.
 */
export const within = <A, E>(step: Effect.Effect<A, E>, limit: Duration.Duration) =>
  Effect.withFiber<A, E | Cause.TimeoutError>((caller) =>
    Context.get(caller.context, Clock.Clock) === realClock
      ? Effect.callback<A, E | Cause.TimeoutError>((resume) => {
          const owned = Effect.withFiber<A, E>((fiber) => {
            callers.set(fiber, callerOf(caller))
            return step
          })
          const fiber = Effect.runForkWith(caller.context)(owned)
          const exit = fiber.pollUnsafe()
          if (exit !== undefined) return resume(exit)
          // @effect-diagnostics-next-line globalTimersInEffect:off -- this is the real clock
          const timer = setTimeout(
            () => resume(Effect.andThen(Fiber.interrupt(fiber), Effect.fail(tooLate(limit)))),
            Duration.toMillis(limit)
          )
          fiber.addObserver((exit) => {
            clearTimeout(timer)
            resume(exit)
          })
          return Fiber.interrupt(fiber)
        })
      : Effect.timeout(Effect.interruptible(step), limit)
  )

const tooLate = (limit: Duration.Duration): Cause.TimeoutError =>
  new Cause.TimeoutError(`No answer within ${Duration.format(limit)}`)
