/**
 * Time and scheduling of one case: everything that can run does so at once, and then the clock leaps to who sleeps shortest.
 *
 * **When to use**
 *
 * Where thousands of cases are each run to their end. `TestClock` is moved by whoever tests; here nobody knows how long a
 * case takes, and whether a call was answered in time is what is asked.
 *
 * **Details**
 *
 * Nothing waits for the event loop, so that a case is the same each time, and takes microseconds.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export interface VirtualTime {
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Milliseconds since the case began. */
  readonly now: () => number
  /** Runs what can run. False where it does not come to an end. */
  readonly settle: () => boolean
  /** Leaps to the next one who sleeps. False where nobody does, or only beyond `until`. */
  readonly leap: (until: number) => boolean
}

/** Most tasks between two leaps: more are an endless loop. */
const mostTasks = 100_000

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export const make = (): VirtualTime => {
  let millis = 0
  let tasks: Array<() => void> = []
  let sleepers: ReadonlyArray<Sleeper> = []
  const now = () => millis
  const nanos = () => BigInt(Math.floor(millis * 1_000)) * 1_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const sleeper = { at: millis + Math.max(0, Duration.toMillis(duration)), wake: () => resume(Effect.void) }
        const behind = sleepers.findIndex(({ at }) => at > sleeper.at)
        sleepers = behind < 0 ? [...sleepers, sleeper] : sleepers.toSpliced(behind, 0, sleeper)
        return Effect.sync(() => {
          sleepers = sleepers.filter((other) => other !== sleeper)
        })
      })
  }
  const schedule = (task: () => void): (() => void) => {
    let isWanted = true
    tasks.push(() => {
      if (isWanted) task()
    })
    return () => {
      isWanted = false
    }
  }
  return {
    clock,
    scheduler: new Scheduler.MixedScheduler("async", schedule),
    now,
    settle: () => {
      for (let ran = 0; tasks.length > 0;) {
        const due = tasks
        tasks = []
        for (const task of due) task()
        ran += due.length
        if (ran > mostTasks) return false
      }
      return true
    },
    leap: (until) => {
      const [next, ...rest] = sleepers
      if (next === undefined || next.at > until) return false
      sleepers = rest
      millis = Math.max(millis, next.at)
      next.wake()
      return true
    }
  }
}
