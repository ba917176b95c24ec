/**
 * A run that several readers follow at once, each from where it is, also after its connection broke.
 *
 * **Details**
 *
 * - Its events have numbers from 1. The latest are kept, within bounds; a reader that comes back is told those that it has
 *   missed, and how many are gone where they are not kept any more.
 * - The run waits for its slowest reader, and drops nothing that one has not been told. A reader that takes nothing for
 *   `patience` is left behind: its stream ends, and it may come back.
 * - Where nobody reads, before the first reader comes too, the run goes on until what is kept is full. Then it waits for a
 *   reader, but no longer than `patience`.
 * - A run that nobody reads for `linger` is interrupted, its handlers too.
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
import * as KeptEvents from "./KeptEvents.ts"
import * as LiveEvent from "./LiveEvent.ts"

export interface LiveRunOptions {
  /** How long a run goes on without a reader. Default 30 seconds. */
  readonly linger?: Duration.Input
  /** How long the run waits for a reader that takes nothing, and for one that is away. Default 10 seconds. */
  readonly patience?: Duration.Input
  /** Events that a reader may lag behind. Default 256. */
  readonly lag?: number
  /** Events that are kept for readers that come back. Default 1,000. */
  readonly keepEvents?: number
  /** Characters of JSON that are kept for them. Default 1,000,000. */
  readonly keepCharacters?: number
  /** What readers are told of an event: it may be changed, or left out. An event at which this throws is left out. */
  readonly show?: (event: LiveEvent.LiveEvent) => LiveEvent.LiveEvent | undefined
}

export type { Told } from "./KeptEvents.ts"

export interface LiveRun {
  /** The events behind a number; 0 for all. Ends behind the last one. */
  readonly follow: (after: number) => Stream.Stream<KeptEvents.Told>
  /** Interrupts the run. Its `End` is told. */
  readonly interrupt: Effect.Effect<void>
  /** The number of the last event, once the run is over. */
  readonly last: () => number | undefined
  /** Waits until the run is over. */
  readonly over: Effect.Effect<void>
}

interface Reader {
  /** The number up to which it was told. */
  at: number
  /** The number up to which it has taken what it was told: what it is told last may be lost with its connection. */
  taken: number
  isLeft: boolean
  readonly news: Latch.Latch
}

/** What a run may be stopped by; given to the run as its `interruptWhen`. */
export type Begin<R> = (stop: Effect.Effect<void>) => Stream.Stream<AgentEvent, never, R>

/** Begins a run. It belongs to the scope. */
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
    const kept = KeptEvents.make(keepEvents, keepCharacters)
    let isOver = false
    let departures = 0
    /** The number up to which the last reader has read, while it is away; what follows is kept for it. */
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
    /** Room for one more event, or nobody left who has none. */
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
    /** Interrupts the run unless somebody reads it in time. */
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
          Effect.logWarning(`An event (${event._tag}) could not be shown, and is left out`, defect)
        )
      )
    const end = Effect.suspend(() => {
      isOver = true
      for (const { news } of readers) news.openUnsafe()
      return Deferred.succeed(over, undefined)
    })
    yield* Stream.runForEach(begin(Deferred.await(stop)), told).pipe(
      Effect.catchDefect((defect) => Effect.logError("A run broke before its end", defect)),
      Effect.ensuring(end),
      Effect.forkIn(scope, { startImmediately: true })
    )
    abandon()

    const next = (reader: Reader): Effect.Effect<NonEmptyReadonlyArray<KeptEvents.Told>, Cause.Done> =>
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
