/**
 * Starts a run that several readers can follow. Each reader follows the run at its own position and may reconnect.
 *
 * **Details**
 *
 * - Events are numbered from 1. A limited number of the latest events is stored. A reader that reconnects receives the
 *   events that it missed, and the numbers of missed events that are no longer stored.
 * - The run waits for its slowest reader and does not drop events that a reader has not received. A reader for
 *   which the run has waited for `patience` is disconnected, and may reconnect.
 * - While no reader is connected, the run continues until the history is full. The run then waits for a reader for at
 *   most `patience`.
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
  /** How long the run waits for a reader that takes no events or has disconnected. Default 10 seconds. */
  readonly patience?: Duration.Input
  /** How many readers the run may have at once. The stream of a further reader is empty. Default 16. */
  readonly maxReaders?: number
  /** How many events a reader may lag behind. Default 256. */
  readonly lag?: number
  /** How many events are stored for readers that reconnect. Default 1,000. */
  readonly keepEvents?: number
  /** How many characters of JSON these events may have in total. Default 1,000,000. */
  readonly keepCharacters?: number
  /** Changes an event, or removes it by returning undefined. If it throws, the event is not sent. */
  readonly show?: (event: LiveEvent.LiveEvent) => LiveEvent.LiveEvent | undefined
}

export type { Entry } from "./EventHistory.ts"

export interface LiveRun {
  /**
   * Returns the events after a number; 0 returns all. The stream ends after the last event, and immediately if there are
   * too many readers.
   */
  readonly follow: (after: number) => Stream.Stream<EventHistory.Entry>
  /** Returns the number of connected readers. */
  readonly readers: () => number
  /** Interrupts the run. Its `End` event is still sent. */
  readonly interrupt: Effect.Effect<void>
  /** Returns the number of the last event; undefined until the run has ended. */
  readonly last: () => number | undefined
  /** Waits until the run has ended. */
  readonly over: Effect.Effect<void>
}

interface Reader {
  /** The number of the last event that was sent. */
  sent: number
  /**
   * The number of the last confirmed event. A reader confirms events by asking for more; unconfirmed events may be
   * lost.
   */
  confirmed: number
  isDisconnected: boolean
  readonly hasNews: Latch.Latch
}

/** Starts a run that ends when `stop` completes (`interruptWhen`). */
export type Begin<R> = (stop: Effect.Effect<void>) => Stream.Stream<AgentEvent, never, R>

/** Starts a run in the scope. */
export const make = <R>(
  begin: Begin<R>,
  options: LiveRunOptions = {}
): Effect.Effect<LiveRun, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const {
      keepCharacters = 1_000_000,
      keepEvents = 1_000,
      lag = 256,
      maxReaders = 16,
      show = (event) => event
    } = options
    const linger = Duration.fromInputUnsafe(options.linger ?? "30 seconds")
    const patience = Duration.fromInputUnsafe(options.patience ?? "10 seconds")
    const scope = yield* Effect.scope
    const stop = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const progress = Latch.makeUnsafe(false)
    const readers = new Set<Reader>()
    const history = EventHistory.make(keepEvents, keepCharacters)
    let isOver = false
    let departures = 0
    /**
     * The last event that the latest reader confirmed, 0 before the first reader. Later events are kept for a reader
     * that reconnects. Undefined while a reader is connected, and after `patience` has passed.
     */
    let awaitedFrom: number | undefined = 0

    const push = (json: string) => {
      history.push(json)
      for (const { hasNews } of readers) hasNews.openUnsafe()
    }
    const laggards = (from: number) =>
      [...readers].filter(({ confirmed }) => confirmed < from || history.lastId() - confirmed >= lag)
    const disconnectLaggards = (from: number) => {
      if (awaitedFrom !== undefined && awaitedFrom < from) awaitedFrom = undefined
      for (const reader of laggards(from)) disconnect(reader)
    }
    /** Waits until there is room for one more event. After `patience`, disconnects the readers that lag behind. */
    const roomFor = (json: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const from = history.lastDropped(json)
        const isRoom = () => (awaitedFrom === undefined || awaitedFrom >= from) && laggards(from).length === 0
        if (isRoom()) return Effect.void
        const wait: Effect.Effect<void> = Effect.suspend(() => {
          progress.closeUnsafe()
          return Effect.andThen(
            progress.await,
            Effect.suspend(() => (isRoom() ? Effect.void : wait))
          )
        })
        return Effect.timeoutOrElse(wait, {
          duration: patience,
          orElse: () => Effect.sync(() => disconnectLaggards(from))
        })
      })
    const disconnect = (reader: Reader) => {
      reader.isDisconnected = true
      reader.hasNews.openUnsafe()
      progress.openUnsafe()
      if (readers.delete(reader) && readers.size === 0) interruptUnlessRead()
    }
    /** Interrupts the run unless a reader connects within `linger`. */
    const interruptUnlessRead = () => {
      if (isOver) return
      departures += 1
      const departure = departures
      const interrupt = Effect.suspend(() =>
        readers.size === 0 && departure === departures ? Deferred.succeed(stop, undefined) : Effect.void
      )
      Effect.runForkWith(context)(Effect.forkIn(Effect.delay(interrupt, linger), scope))
    }
    const context = yield* Effect.context<never>()

    const jsonOf = (event: AgentEvent): string | undefined => {
      const changed = show(LiveEvent.of(event))
      return changed === undefined ? undefined : LiveEvent.encode(changed)
    }
    const publish = (event: AgentEvent): Effect.Effect<void> =>
      Effect.suspend(() => {
        const json = jsonOf(event)
        if (json === undefined) return Effect.void
        return Effect.andThen(
          roomFor(json),
          Effect.sync(() => push(json))
        )
      }).pipe(
        Effect.catchDefect((defect) =>
          Effect.logWarning(`An event (${event._tag}) could not be converted and was not sent`, defect)
        )
      )
    const end = Effect.suspend(() => {
      isOver = true
      for (const { hasNews } of readers) hasNews.openUnsafe()
      return Deferred.succeed(over, undefined)
    })
    yield* Stream.runForEach(begin(Deferred.await(stop)), publish).pipe(
      Effect.catchDefect((defect) => Effect.logError("A run failed before its end", defect)),
      Effect.ensuring(end),
      Effect.forkIn(scope, { startImmediately: true })
    )
    interruptUnlessRead()

    const next = (reader: Reader): Effect.Effect<NonEmptyReadonlyArray<EventHistory.Entry>, Cause.Done> =>
      Effect.suspend(() => {
        if (reader.isDisconnected) return Cause.done()
        reader.confirmed = reader.sent
        progress.openUnsafe()
        const [one, ...rest] = history.after(reader.sent)
        if (one !== undefined) {
          const last = rest.at(-1) ?? one
          reader.sent = last._tag === "Event" ? last.id : last.to
          return Effect.succeed([one, ...rest])
        }
        if (isOver) return Cause.done()
        reader.hasNews.closeUnsafe()
        return Effect.andThen(reader.hasNews.await, next(reader))
      })

    return {
      readers: () => readers.size,
      follow: (after) =>
        Stream.unwrap(
          Effect.map(
            Effect.acquireRelease(
              Effect.sync(() => {
                if (readers.size >= maxReaders) return undefined
                const sent = Math.min(Math.max(0, after), history.lastId())
                const reader: Reader = {
                  sent,
                  confirmed: sent,
                  isDisconnected: false,
                  hasNews: Latch.makeUnsafe(false)
                }
                readers.add(reader)
                departures += 1
                awaitedFrom = undefined
                progress.openUnsafe()
                return reader
              }),
              (reader) =>
                Effect.sync(() => {
                  if (reader === undefined) return
                  if (!reader.isDisconnected && readers.size === 1) awaitedFrom = reader.confirmed
                  disconnect(reader)
                })
            ),
            (reader) => (reader === undefined ? Stream.empty : Stream.fromPull(Effect.succeed(next(reader))))
          )
        ),
      interrupt: Effect.asVoid(Deferred.succeed(stop, undefined)),
      last: () => (isOver ? history.lastId() : undefined),
      over: Deferred.await(over)
    }
  })
