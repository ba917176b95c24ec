/** Tests virtual time: the order of wake-ups, endless loops and interrupted sleeps. */
import * as VirtualTime from "#kit/fuzz/simulation/VirtualTime"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Scheduler } from "effect"

describe("VirtualTime", () => {
  const run = <A>(program: Effect.Effect<A>) => {
    const time = VirtualTime.make()
    const context = Context.empty().pipe(
      Context.add(Clock.Clock, time.clock),
      Context.add(Scheduler.Scheduler, time.scheduler)
    )
    return { time, fiber: Effect.runForkWith(context)(program) }
  }

  it("13.6 advances only after all ready tasks, and wakes the tasks in the order of their times", () => {
    const woken: Array<readonly [string, number]> = []
    const sleeper = (name: string, millis: number) =>
      Effect.sleep(millis).pipe(
        Effect.andThen(Clock.currentTimeMillis),
        Effect.map((at) => void woken.push([name, at]))
      )
    const { fiber, time } = run(
      Effect.all([sleeper("late", 500), sleeper("soon", 20), Effect.andThen(Effect.yieldNow, sleeper("next", 20))], {
        concurrency: 3
      })
    )
    assert.isTrue(time.settle())
    assert.deepStrictEqual([time.now(), woken], [0, []])
    while (time.advance(10_000)) time.settle()
    assert.deepStrictEqual(woken, [
      ["soon", 20],
      ["next", 20],
      ["late", 500]
    ])
    assert.isDefined(fiber.pollUnsafe())
  })

  it("13.6 detects an endless loop, a sleep beyond the limit, and an interrupted sleep", () => {
    const loop = run(Effect.forever(Effect.yieldNow))
    assert.isFalse(loop.time.settle())
    const never = run(Effect.sleep("1 day"))
    assert.isTrue(never.time.settle())
    assert.isFalse(never.time.advance(1_000))
    const interrupted = run(Effect.sleep("1 second"))
    interrupted.time.settle()
    interrupted.fiber.interruptUnsafe()
    interrupted.time.settle()
    assert.isFalse(interrupted.time.advance(10_000))
    loop.fiber.interruptUnsafe()
    never.fiber.interruptUnsafe()
  })
})
