/**
 * A run that several readers follow at once, each from where it is, also after its connection broke.
 *
 * **Details**
 *
 * - Its events have numbers from 1. The latest are kept, within bounds; a reader that comes back is told those that it has
 *   missed, and how many are gone where they are not kept any more.
 * - The run waits for its slowest reader. One that takes nothing for `patience` is left behind: its stream ends, and it may come
 *   back.
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
import type { AgentEvent } from "./AgentEvent.ts"
import * as LiveEvent from "./LiveEvent.ts"

export interface LiveRunOptions {
  /** How long a run goes on without a reader. Default 30 seconds. */
  readonly linger?: Duration.Input
  /** How long the run waits for a reader that takes nothing. Default 10 seconds. */
  readonly patience?: Duration.Input
  /** Events that a reader may lag behind. Default 256. */
  readonly lag?: number
  /** Events that are kept for readers that come back. Default 1,000. */
  readonly keepEvents?: number
  /** Characters of JSON that are kept for them. Default 1,000,000. */
  readonly keepCharacters?: number
  /** What readers are told of an event: it may be changed, or left out. */
  readonly show?: (event: LiveEvent.LiveEvent) => LiveEvent.LiveEvent | undefined
}

/** What a reader gets. */
export type Told =
  | { readonly _tag: "Event"; readonly id: number; readonly json: string }
  /** Events from one number up to another are not kept any more. */
  | { readonly _tag: "Missed"; readonly from: number; readonly to: number }

export interface LiveRun {
  /** The events behind a number; 0 for all. Ends behind the last one. */
  readonly follow: (after: number) => Stream.Stream<Told>
  /** Interrupts the run. Its `End` is told. */
  readonly interrupt: Effect.Effect<void>
  /** The number of the last event, once the run is over. */
  readonly last: () => number | undefined
  /** Waits until the run is over. */
  readonly over: Effect.Effect<void>
}

interface Reader {
  at: number
  isLeft: boolean
  readonly news: Latch.Latch
}

/** What a run may be stopped by; given to the run as its `interruptWhen`. */
export type Begin<R> = (stop: Effect.Effect<void>) => Stream.Stream<AgentEvent, never, R>

/** Most events that are told at once. */
const most = 64

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
    let kept: Array<{ readonly id: number; readonly json: string }> = []
    let characters = 0
    let lastId = 0
    let isOver = false
    let departures = 0

    const push = (json: string) => {
      lastId += 1
      kept.push({ id: lastId, json })
      characters += json.length
      let gone = 0
      while (kept.length - gone > 1 && (kept.length - gone > keepEvents || characters > keepCharacters)) {
        characters -= kept[gone]?.json.length ?? 0
        gone += 1
      }
      if (gone > 0) kept = kept.slice(gone)
      for (const { news } of readers) news.openUnsafe()
    }
    const laggards = () => [...readers].filter(({ at }) => lastId - at >= lag)
    const leaveBehind = Effect.sync(() => {
      for (const reader of laggards()) leave(reader)
    })
    /** Room for one more event, or nobody left who has none. */
    const room: Effect.Effect<void> = Effect.suspend(() => {
      if (laggards().length === 0) return Effect.void
      const wait: Effect.Effect<void> = Effect.suspend(() => {
        moved.closeUnsafe()
        return Effect.andThen(
          moved.await,
          Effect.suspend(() => (laggards().length === 0 ? Effect.void : wait))
        )
      })
      return Effect.timeoutOrElse(wait, { duration: patience, orElse: () => leaveBehind })
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

    const told = (event: AgentEvent): Effect.Effect<void> => {
      const shown = show(LiveEvent.of(event))
      return shown === undefined
        ? Effect.void
        : Effect.andThen(
            room,
            Effect.sync(() => push(LiveEvent.encode(shown)))
          )
    }
    const end = Effect.suspend(() => {
      isOver = true
      for (const { news } of readers) news.openUnsafe()
      return Deferred.succeed(over, undefined)
    })
    yield* Stream.runForEach(begin(Deferred.await(stop)), told).pipe(
      Effect.ensuring(end),
      Effect.forkIn(scope, { startImmediately: true })
    )
    abandon()

    const next = (reader: Reader): Effect.Effect<NonEmptyReadonlyArray<Told>, Cause.Done> =>
      Effect.suspend(() => {
        if (reader.isLeft) return Cause.done()
        const [first] = kept
        if (first !== undefined && reader.at < first.id - 1) {
          const missed = { _tag: "Missed", from: reader.at + 1, to: first.id - 1 } as const
          reader.at = first.id - 1
          return Effect.succeed([missed])
        }
        const from = first === undefined ? 0 : reader.at - first.id + 1
        const [one, ...rest] = kept.slice(from, from + most).map((entry): Told => ({ _tag: "Event", ...entry }))
        if (one !== undefined) {
          reader.at += rest.length + 1
          moved.openUnsafe()
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
                const reader = {
                  at: Math.min(Math.max(0, after), lastId),
                  isLeft: false,
                  news: Latch.makeUnsafe(false)
                }
                readers.add(reader)
                departures += 1
                return reader
              }),
              (reader) => Effect.sync(() => leave(reader))
            ),
            (reader) => Stream.fromPull(Effect.succeed(next(reader)))
          )
        ),
      interrupt: Effect.asVoid(Deferred.succeed(stop, undefined)),
      last: () => (isOver ? lastId : undefined),
      over: Deferred.await(over)
    }
  })
