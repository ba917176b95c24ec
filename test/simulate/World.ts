/**
 * Runs processes in virtual time.
 *
 * **Details**
 *
 * - Everything happens in one queue of events, ordered by virtual time. No event waits for real time.
 * - A process has a scheduler and a clock for its fibers. A paused process keeps its events until it continues, as
 *   after SIGSTOP and SIGCONT. A crashed process drops its events, as after SIGKILL.
 * - The clock of a process may differ from the time of the world.
 */
import * as UnguessableSeeded from "#layers/UnguessableSeeded"
import { Unguessable } from "#services/Unguessable"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import type { Dice } from "./Dice.ts"

/** The first moment of every simulation, in epoch milliseconds. */
export const start = Date.UTC(2026, 0, 1)

interface Event {
  readonly at: number
  /** Orders events of the same moment. */
  readonly order: number
  readonly process: Process | undefined
  readonly run: () => void
}

/** A simulated process. */
export interface Process {
  readonly name: string
  /** The scheduler, clock and random numbers of its fibers. */
  readonly context: Context.Context<never>
  isDead: boolean
  isPaused: boolean
  /** How far its clock is ahead of the world, in milliseconds. */
  offset: number
  /** How long it was paused in total, including a pause that has not ended. */
  pausedMillis: number
  readonly held: Array<Event>
}

export interface World {
  /** Virtual time in epoch milliseconds. */
  readonly now: () => number
  /** The clock and the ids of stores. Their clock agrees with the world. */
  readonly server: Context.Context<never>
  /** Runs a function after a delay, in the process or outside of all processes. */
  readonly after: (process: Process | undefined, millis: number, run: () => void) => void
  readonly spawn: (name: string, dice: Dice) => Process
  readonly crash: (process: Process) => void
  readonly pause: (process: Process, millis: number) => void
  /**
   * Runs events until the condition holds, the queue is empty, the time limit is reached or the number of events is
   * exceeded. Returns the reason.
   */
  readonly runUntil: (isDone: () => boolean, limits: Limits) => "done" | "idle" | "time" | "events"
}

/** How long a simulation may run. */
export interface Limits {
  /** Virtual milliseconds. */
  readonly millis: number
  readonly events: number
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Inserts an event into a binary heap. */
const push = (heap: Array<Event>, event: Event): void => {
  let at = heap.push(event) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] as Event
    if (!before(event, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = event
}

/** Removes the first event of a binary heap. */
const pop = (heap: Array<Event>): Event | undefined => {
  const [first] = heap
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let at = 0
  while (true) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child += 1
    const below = heap[child] as Event
    if (!before(below, last)) break
    heap[at] = below
    at = child
  }
  heap[at] = last
  return first
}

export const make = (seed: number): World => {
  const heap: Array<Event> = []
  let now = start
  let order = 0

  const after = (process: Process | undefined, millis: number, run: () => void): void => {
    order += 1
    push(heap, { at: now + Math.max(0, millis), order, process, run })
  }

  const clockOf = (process: Process | undefined): Clock.Clock => {
    const millis = () => Math.floor(now + (process?.offset ?? 0))
    const nanos = () => BigInt(millis()) * 1_000_000n
    const monotonic = () => BigInt(Math.floor((now - start) * 1000)) * 1000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) =>
        Effect.callback((resume) => {
          const time = Duration.toMillis(duration)
          if (time !== Number.POSITIVE_INFINITY) after(process, time, () => resume(Effect.void))
        })
    }
  }

  const schedulerOf = (process: Process): Scheduler.Scheduler => ({
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
    makeDispatcher: () => ({ scheduleTask: (task) => after(process, 0, task), flush: () => undefined })
  })

  const spawn = (name: string, dice: Dice): Process => {
    const state = { name, isDead: false, isPaused: false, offset: 0, pausedMillis: 0, held: [] }
    const process: Process = Object.assign(state, { context: Context.empty() })
    const context = Context.make(Scheduler.Scheduler, schedulerOf(process)).pipe(
      Context.add(Clock.Clock, clockOf(process)),
      Context.add(Random.Random, {
        nextIntUnsafe: () => dice.between(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
        nextDoubleUnsafe: dice.next
      }),
      Context.add(Unguessable, UnguessableSeeded.make(`${seed} ${name}`))
    )
    return Object.assign(process, { context })
  }

  return {
    now: () => now,
    server: Context.make(Clock.Clock, clockOf(undefined)).pipe(
      Context.add(Unguessable, UnguessableSeeded.make(`${seed} server`))
    ),
    after,
    spawn,
    crash: (process) => {
      process.isDead = true
      process.held.length = 0
    },
    pause: (process, millis) => {
      if (process.isPaused) return
      process.isPaused = true
      process.pausedMillis += millis
      after(undefined, millis, () => {
        process.isPaused = false
        for (const { run } of process.held.splice(0)) after(process, 0, run)
      })
    },
    runUntil: (isDone, { events, millis }) => {
      for (let count = 0; ; count++) {
        if (isDone()) return "done"
        if (count >= events) return "events"
        const event = pop(heap)
        if (event === undefined) return "idle"
        if (event.at > start + millis) return "time"
        now = event.at
        if (event.process?.isDead === true) continue
        if (event.process?.isPaused === true) event.process.held.push(event)
        else event.run()
      }
    }
  }
}
