/**
 * A bounded queue of call records that a background fiber writes in batches to a database, which may be slow or
 * unavailable.
 *
 * **Details**
 *
 * - A batch that cannot be written is retried every second for a minute, then dropped.
 * - A line that does not fit is dropped. A warning reports the number of dropped lines, once a minute and at the end.
 * - When the scope closes, the waiting lines are written until the first failure.
 */
import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as LimitedWarning from "./LimitedWarning.ts"

interface Line<A> {
  readonly value: A
  readonly bytes: number
}

interface Backlog<A> {
  /** Adds a line, or drops it if it does not fit. */
  readonly add: (line: Line<A>) => void
  /** Counts a line that could not be encoded as dropped. */
  readonly drop: () => void
  /** Waits until all lines added so far are written or dropped, for at most five seconds. */
  readonly flushed: Effect.Effect<void>
}

interface BacklogOptions<A, E> {
  /** The maximum number of waiting lines. */
  readonly maxItems: number
  readonly write: (values: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<void, E>
  /** Returns the reason why writing failed, and the remedy. */
  readonly explain: (error: E) => string
}

const maxBytes = 64 * 1024 * 1024
const batchLines = 100
const batchBytes = 1024 * 1024
const maxTries = 60

type Item<A> =
  | ({ readonly _tag: "Line" } & Line<A>)
  | { readonly _tag: "Mark"; readonly reached: Deferred.Deferred<void> }

export const make = <A, E>({
  explain,
  maxItems,
  write
}: BacklogOptions<A, E>): Effect.Effect<Backlog<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<Item<A>, Cause.Done>()
    const closing = yield* Deferred.make<void>()
    const warn = LimitedWarning.make()
    let waiting = 0
    let bytes = 0
    let dropped = 0
    let reported = 0
    let isClosing = false
    let isLost = false

    const remove = (lines: ReadonlyArray<Line<A>>, isWritten: boolean) =>
      Effect.sync(() => {
        waiting -= lines.length
        for (const line of lines) bytes -= line.bytes
        if (!isWritten) dropped += lines.length
      })

    const report = (why: string, cause: unknown) =>
      Effect.suspend(() => {
        reported = dropped
        return warn(`${why} Call records waiting: ${waiting}; dropped: ${dropped}.`, cause)
      })

    const put = (lines: Arr.NonEmptyReadonlyArray<Line<A>>, triesLeft: number): Effect.Effect<void> =>
      isLost
        ? remove(lines, false)
        : Effect.matchEffect(write(Arr.map(lines, ({ value }) => value)), {
            onSuccess: () => remove(lines, true),
            onFailure: (error) =>
              Effect.suspend(() => {
                if (isClosing || triesLeft === 0) {
                  isLost = isClosing
                  return Effect.andThen(remove(lines, false), report(explain(error), error))
                }
                const pause = Effect.race(Effect.sleep("1 second"), Deferred.await(closing))
                return report(explain(error), error).pipe(
                  Effect.andThen(pause),
                  Effect.andThen(put(lines, triesLeft - 1))
                )
              })
          })

    const step = Effect.gen(function* () {
      const items = yield* Queue.takeBetween(queue, 1, batchLines)
      const lines = items.filter((item) => item._tag === "Line")
      for (const batch of batches(lines)) yield* put(batch, maxTries)
      for (const item of items) if (item._tag === "Mark") yield* Deferred.succeed(item.reached, undefined)
      if (dropped > reported) yield* report("The call log falls behind.", undefined)
    })
    const writer = yield* Effect.forkScoped(Effect.ignore(Effect.forever(step)))

    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        isClosing = true
        yield* Deferred.succeed(closing, undefined)
        yield* Queue.end(queue)
        yield* Fiber.await(writer)
        if (dropped > 0) yield* Effect.logWarning(`Call records dropped, missing from the call log: ${dropped}.`)
      })
    )

    return {
      add: (line) => {
        const fits = waiting < maxItems && bytes + line.bytes <= maxBytes
        if (fits && Queue.offerUnsafe(queue, { _tag: "Line", ...line })) {
          waiting += 1
          bytes += line.bytes
        } else {
          dropped += 1
        }
      },
      drop: () => {
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

/** Splits lines, in order, into batches that fit into one statement. */
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
