/**
 * A run with several readers, each of which follows it at its own position and may reconnect.
 *
 * **Details**
 *
 * - Events are numbered from 1. The latest are stored, within bounds. A reader that reconnects receives the events that it
 *   missed, and the numbers of those that are no longer stored.
 * - The run waits for its slowest reader, and drops no event that a reader has not received. A reader that takes nothing for
 *   `patience` is disconnected; it may reconnect.
 * - Without readers, also before the first one, the run continues until the history is full. It then waits for a reader, at
 *   most for `patience`.
 * - A run without readers for `linger` is interrupted, with its handlers.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentEvent } from "#src/agent/AgentEvent"
import * as EventHistory from "./EventHistory.ts"
import * as LiveEvent from "./LiveEvent.ts"

export interface LiveRunOptions {
  /** How long a run continues without a reader. Default 30 seconds. */
  readonly linger?: Duration.Input
  /** How long the run waits for a reader that takes nothing or is disconnected. Default 10 seconds. */
  readonly patience?: Duration.Input
  /** How many events a reader may lag behind. Default 256. */
  readonly lag?: number
  /** How many events are stored for readers that reconnect. Default 1,000. */
  readonly keepEvents?: number
  /** How many characters of JSON are stored for them. Default 1,000,000. */
  readonly keepCharacters?: number
  /** Changes an event, or removes it by returning undefined. If this throws, the event is left out. */
  readonly show?: (event: LiveEvent.LiveEvent) => LiveEvent.LiveEvent | undefined
}

export type { Entry } from "./EventHistory.ts"

export interface LiveRun {
  /** The events after a number; 0 for all. Ends after the last one. */
  readonly follow: (after: number) => Stream.Stream<EventHistory.Entry>
  /** Interrupts the run. Its `End` event is still sent. */
  readonly interrupt: Effect.Effect<void>
  /** The number of the last event; undefined until the run has ended. */
  readonly last: () => number | undefined
  /** Waits until the run has ended. */
  readonly over: Effect.Effect<void>
}

interface Reader {
  /** The number up to which it was sent events. */
  at: number
  /** The number up to which it confirmed events by asking for more: those sent last may be lost with its connection. */
  taken: number
  isLeft: boolean
  readonly news: Latch.Latch
}

/** Starts a run that ends when `stop` completes (`interruptWhen`). */
export type Begin<R> = (stop: Effect.Effect<void>) => Stream.Stream<AgentEvent, never, R>

/** Starts a run in the scope. */
export const make = <R>(
  begin: Begin<R>,
  options: LiveRunOptions = {}
): Effect.Effect<LiveRun, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { keepCharacters = 1_000_000, keepEvents = 1_000, lag = 256, show = (event) => event } = options
    const linger = Duration.fromInputUnsafe(options.linger ?? "30 seconds")
    const patience = Duration.fromInputUnsafe(options.patience ?? "10 seconds")
    const scope = yield* Effect.scope
    const stop = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const moved = Latch.makeUnsafe(false)
    const readers = new Set<Reader>()
    const kept = EventHistory.make(keepEvents, keepCharacters)
    let isOver = false
    let departures = 0
    /** While the last reader is disconnected, the number up to which it has read: later events are stored for it. */
    let away: number | undefined = 0

    const push = (json: string) => {
      kept.push(json)
      for (const { news } of readers) news.openUnsafe()
    }
    const laggards = (from: number) => [...readers].filter(({ taken }) => taken < from || kept.lastId() - taken >= lag)
    const leaveBehind = (from: number) => {
      if (away !== undefined && away < from) away = undefined
      for (const reader of laggards(from)) leave(reader)
    }
    /** Waits for room for one more event, and disconnects the readers that make none in time. */
    const roomFor = (json: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const from = kept.displaced(json)
        const isRoom = () => (away === undefined || away >= from) && laggards(from).length === 0
        if (isRoom()) return Effect.void
        const wait: Effect.Effect<void> = Effect.suspend(() => {
          moved.closeUnsafe()
          return Effect.andThen(
            moved.await,
            Effect.suspend(() => (isRoom() ? Effect.void : wait))
          )
        })
        return Effect.timeoutOrElse(wait, { duration: patience, orElse: () => Effect.sync(() => leaveBehind(from)) })
      })
    const leave = (reader: Reader) => {
      reader.isLeft = true
      reader.news.openUnsafe()
      moved.openUnsafe()
      if (readers.delete(reader) && readers.size === 0) abandon()
    }
    /** Interrupts the run unless a reader connects in time. */
    const abandon = () => {
      if (isOver) return
      departures += 1
      const departure = departures
      const alone = Effect.suspend(() =>
        readers.size === 0 && departure === departures ? Deferred.succeed(stop, undefined) : Effect.void
      )
      Effect.runForkWith(context)(Effect.forkIn(Effect.delay(alone, linger), scope))
    }
    const context = yield* Effect.context<never>()

    const shown = (event: AgentEvent): string | undefined => {
      const changed = show(LiveEvent.of(event))
      return changed === undefined ? undefined : LiveEvent.encode(changed)
    }
    const told = (event: AgentEvent): Effect.Effect<void> =>
      Effect.suspend(() => {
        const json = shown(event)
        if (json === undefined) return Effect.void
        return Effect.andThen(
          roomFor(json),
          Effect.sync(() => push(json))
        )
      }).pipe(
        Effect.catchDefect((defect) =>
          Effect.logWarning(`An event (${event._tag}) could not be shown and was left out`, defect)
        )
      )
    const end = Effect.suspend(() => {
      isOver = true
      for (const { news } of readers) news.openUnsafe()
      return Deferred.succeed(over, undefined)
    })
    yield* Stream.runForEach(begin(Deferred.await(stop)), told).pipe(
      Effect.catchDefect((defect) => Effect.logError("A run failed before its end", defect)),
      Effect.ensuring(end),
      Effect.forkIn(scope, { startImmediately: true })
    )
    abandon()

    const next = (reader: Reader): Effect.Effect<NonEmptyReadonlyArray<EventHistory.Entry>, Cause.Done> =>
      Effect.suspend(() => {
        if (reader.isLeft) return Cause.done()
        reader.taken = reader.at
        moved.openUnsafe()
        const [one, ...rest] = kept.after(reader.at)
        if (one !== undefined) {
          const last = rest.at(-1) ?? one
          reader.at = last._tag === "Event" ? last.id : last.to
          return Effect.succeed([one, ...rest])
        }
        if (isOver) return Cause.done()
        reader.news.closeUnsafe()
        return Effect.andThen(reader.news.await, next(reader))
      })

    return {
      follow: (after) =>
        Stream.unwrap(
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => {
                const at = Math.min(Math.max(0, after), kept.lastId())
                const reader = {
                  at,
                  taken: at,
                  isLeft: false,
                  news: Latch.makeUnsafe(false)
                }
                readers.add(reader)
                departures += 1
                away = undefined
                moved.openUnsafe()
                return reader
              }),
              (reader) =>
                Effect.sync(() => {
                  if (!reader.isLeft && readers.size === 1) away = reader.taken
                  leave(reader)
                })
            ),
            (reader) => Stream.fromPull(Effect.succeed(next(reader)))
          )
        ),
      interrupt: Effect.asVoid(Deferred.succeed(stop, undefined)),
      last: () => (isOver ? kept.lastId() : undefined),
      over: Deferred.await(over)
    }
  })
