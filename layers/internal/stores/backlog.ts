/**
 * Lines on their way to a place that may be slow or away: taken at once, written in batches behind whoever wrote them.
 *
 * **Details**
 *
 * - A batch that cannot be written is tried again every second, for a minute, then dropped.
 * - What does not fit is dropped too. Drops are counted, and told with the number: once a minute, and at the end.
 * - When the scope closes what waits is written, as long as the place takes it.
 */
import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { oncePerMinute } from "./oncePerMinute.ts"

export interface Line<A> {
  readonly value: A
  readonly bytes: number
}

export interface Backlog<A> {
  readonly add: (line: Line<A>) => void
  /** Counts a line that could not be made. */
  readonly lose: () => void
  /** Waits, five seconds at most, until what was added before has been written or dropped. */
  readonly flushed: Effect.Effect<void>
}

export interface BacklogOptions<A, E> {
  /** Most lines that wait. */
  readonly most: number
  readonly write: (values: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<void, E>
  /** Why writing failed, and what to do about it. */
  readonly explain: (error: E) => string
}

const mostBytes = 64 * 1024 * 1024
const batchLines = 100
const batchBytes = 1024 * 1024
const mostTries = 60

type Item<A> =
  | ({ readonly _tag: "Line" } & Line<A>)
  | { readonly _tag: "Mark"; readonly reached: Deferred.Deferred<void> }

export const make = <A, E>({
  explain,
  most,
  write
}: BacklogOptions<A, E>): Effect.Effect<Backlog<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<Item<A>, Cause.Done>()
    const closing = yield* Deferred.make<void>()
    const warn = oncePerMinute()
    let waiting = 0
    let bytes = 0
    let dropped = 0
    let told = 0
    let isClosing = false
    let isLost = false

    const leave = (lines: ReadonlyArray<Line<A>>, isWritten: boolean) =>
      Effect.sync(() => {
        waiting -= lines.length
        for (const line of lines) bytes -= line.bytes
        if (!isWritten) dropped += lines.length
      })

    const tell = (why: string, cause: unknown) =>
      Effect.suspend(() => {
        told = dropped
        return warn(`${why} Call records waiting: ${waiting}; dropped: ${dropped}.`, cause)
      })

    const put = (lines: Arr.NonEmptyReadonlyArray<Line<A>>, triesLeft: number): Effect.Effect<void> =>
      isLost
        ? leave(lines, false)
        : Effect.matchEffect(write(Arr.map(lines, ({ value }) => value)), {
            onSuccess: () => leave(lines, true),
            onFailure: (error) =>
              Effect.suspend(() => {
                if (isClosing || triesLeft === 0) {
                  isLost = isClosing
                  return Effect.andThen(leave(lines, false), tell(explain(error), error))
                }
                const pause = Effect.race(Effect.sleep("1 second"), Deferred.await(closing))
                return tell(explain(error), error).pipe(
                  Effect.andThen(pause),
                  Effect.andThen(put(lines, triesLeft - 1))
                )
              })
          })

    const step = Effect.gen(function* () {
      const items = yield* Queue.takeBetween(queue, 1, batchLines)
      const lines = items.filter((item) => item._tag === "Line")
      for (const batch of batches(lines)) yield* put(batch, mostTries)
      for (const item of items) if (item._tag === "Mark") yield* Deferred.succeed(item.reached, undefined)
      if (dropped > told) yield* tell("The call log falls behind.", undefined)
    })
    const writer = yield* Effect.forkScoped(Effect.ignore(Effect.forever(step)))

    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        isClosing = true
        yield* Deferred.succeed(closing, undefined)
        yield* Queue.end(queue)
        yield* Fiber.await(writer)
        if (dropped > 0) yield* Effect.logWarning(`Call records dropped, which the call log does not have: ${dropped}.`)
      })
    )

    return {
      add: (line) => {
        const fits = waiting < most && bytes + line.bytes <= mostBytes
        if (fits && Queue.offerUnsafe(queue, { _tag: "Line", ...line })) {
          waiting += 1
          bytes += line.bytes
        } else {
          dropped += 1
        }
      },
      lose: () => {
        dropped += 1
      },
      flushed: Effect.suspend(() => {
        const reached = Deferred.makeUnsafe<void>()
        return Queue.offerUnsafe(queue, { _tag: "Mark", reached })
          ? Effect.asVoid(Effect.timeoutOption(Deferred.await(reached), "5 seconds"))
          : Effect.void
      })
    }
  })

/** In order, each of a size that one statement takes. */
const batches = <A>(lines: ReadonlyArray<Line<A>>): ReadonlyArray<Arr.NonEmptyReadonlyArray<Line<A>>> => {
  const made: Array<Arr.NonEmptyArray<Line<A>>> = []
  let size = 0
  for (const line of lines) {
    size += line.bytes
    const last = made.at(-1)
    if (last === undefined || size > batchBytes) {
      made.push([line])
      size = line.bytes
    } else {
      last.push(line)
    }
  }
  return made
}
