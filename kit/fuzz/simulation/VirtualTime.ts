/**
 * Provides the clock and the scheduler of one case. All ready tasks run, then the clock jumps to the next wake-up time.
 *
 * **When to use**
 *
 * Use it to run thousands of cases to completion without knowing how long each case takes. A test must advance a
 * `TestClock` itself.
 *
 * **Details**
 *
 * Nothing waits for the event loop. A case is therefore deterministic and fast.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Virtual time, driven by `settle` and `advance`. */
export interface VirtualTime {
  readonly clock: Clock.Clock
  readonly scheduler: Scheduler.Scheduler
  /** Milliseconds since the case started. */
  readonly now: () => number
  /** Runs all ready tasks. Returns `false` if there are so many tasks that they form an endless loop. */
  readonly settle: () => boolean
  /** Advances the clock to the next wake-up time. Returns `false` if no task sleeps, or if none wakes up by `until`. */
  readonly advance: (until: number) => boolean
}

/** The maximum number of tasks between two advances. More tasks are treated as an endless loop. */
const maxTasks = 100_000

/** A task that sleeps until a time in milliseconds. */
interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** Creates the virtual time of one case, which starts at 0. */
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
    let isScheduled = true
    tasks.push(() => {
      if (isScheduled) task()
    })
    return () => {
      isScheduled = false
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
        if (ran > maxTasks) return false
      }
      return true
    },
    advance: (until) => {
      const [next, ...rest] = sleepers
      if (next === undefined || next.at > until) return false
      sleepers = rest
      millis = Math.max(millis, next.at)
      next.wake()
      return true
    }
  }
}
