/**
 * Buffers the events of a run for one reader, within bounds: a slow reader slows the run and cannot fill the memory.
 *
 * **Details**
 *
 * - Adjacent pieces of text are joined: a reader that lags reads the same text in fewer pieces.
 * - Other events wait until there is room. So does the model's stream, once enough text waits.
 * - Events inside calls come from code that cannot wait, so they are stored beyond the bound. There are only a few for each
 *   attempt, and the next call does not start before its own event has room.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { CallEvent } from "#services/CallObserver"
import type { AgentEvent } from "./AgentEvent.ts"

/** How much may wait for a slow reader. */
export interface BufferLimits {
  /** Default 256. */
  readonly events: number
  /** Characters of text. Default 65,536. */
  readonly characters: number
}

export const defaults: BufferLimits = { events: 256, characters: 65_536 }

interface EventBuffer<E = never> {
  /** Waits until there is room. */
  readonly offer: (event: AgentEvent) => Effect.Effect<void>
  readonly offerUnsafe: (event: CallEvent) => void
  /** Ends the buffer: waiting events can still be read, and then the reader gets the failure, if any. */
  readonly end: (exit: Exit.Exit<unknown, E>) => Effect.Effect<void>
  /** Takes all waiting events; waits for the first. */
  readonly take: Effect.Effect<NonEmptyReadonlyArray<AgentEvent>, E | Cause.Done>
}

export const make = <E = never>({ characters: most, events }: BufferLimits): EventBuffer<E> => {
  let held: Array<AgentEvent> = []
  let characters = 0
  let over: Exit.Exit<unknown, E> | undefined
  const room = Latch.makeUnsafe(false)
  const some = Latch.makeUnsafe(false)

  const push = (event: AgentEvent) => {
    held.push(event)
    some.openUnsafe()
  }
  /** Joins a piece of text with the waiting one before it. */
  const joined = (event: AgentEvent): boolean => {
    const last = held.at(-1)
    if (event._tag !== "Text" || last?._tag !== "Text" || last.round !== event.round) return false
    held[held.length - 1] = { ...last, delta: last.delta + event.delta }
    return true
  }
  const offer = (event: AgentEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isText = event._tag === "Text"
      if (isText && characters > 0 && characters + event.delta.length > most) return wait(event)
      if (!joined(event)) {
        if (held.length >= events) return wait(event)
        push(event)
      }
      if (isText) characters += event.delta.length
      return Effect.void
    })
  const wait = (event: AgentEvent): Effect.Effect<void> => {
    room.closeUnsafe()
    return Effect.andThen(room.await, offer(event))
  }
  return {
    offer,
    offerUnsafe: push,
    end: (exit) =>
      Effect.sync(() => {
        over = exit
        some.openUnsafe()
      }),
    take: Effect.suspend(function take(): Effect.Effect<NonEmptyReadonlyArray<AgentEvent>, E | Cause.Done> {
      const [first, ...rest] = held
      if (first !== undefined) {
        held = []
        characters = 0
        room.openUnsafe()
        return Effect.succeed([first, ...rest])
      }
      if (over !== undefined) return Exit.isSuccess(over) ? Cause.done() : Effect.failCause(over.cause)
      some.closeUnsafe()
      return Effect.andThen(some.await, Effect.suspend(take))
    })
  }
}
