/**
 * A bounded buffer of the events of a run, for one reader. A slow reader slows the run instead of filling the memory.
 *
 * **Details**
 *
 * - Adjacent pieces of text are joined: a slow reader receives the same text in fewer pieces.
 * - Other events wait until there is room. The model's stream also waits while the buffer is full of text.
 * - Events inside calls come from code that cannot wait, so they may exceed the limit. Each attempt has only a few such
 *   events, and the next call does not start until there is room for its event.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { CallEvent } from "#services/CallObserver"
import type { AgentEvent } from "./AgentEvent.ts"

/** How many events and characters may wait for a slow reader. */
export interface BufferLimits {
  /** Default 256. */
  readonly events: number
  /** Characters of text. Default 65,536. */
  readonly characters: number
}

export const defaults: BufferLimits = { events: 256, characters: 65_536 }

interface EventBuffer<E = never> {
  /** Adds an event, after waiting until there is room. */
  readonly offer: (event: AgentEvent) => Effect.Effect<void>
  readonly offerUnsafe: (event: CallEvent) => void
  /** Ends the buffer. The reader receives the waiting events and then the failure, if any. */
  readonly end: (exit: Exit.Exit<unknown, E>) => Effect.Effect<void>
  /** Takes all waiting events. If there are none, waits for one. */
  readonly take: Effect.Effect<NonEmptyReadonlyArray<AgentEvent>, E | Cause.Done>
}

export const make = <E = never>({ characters: maxCharacters, events }: BufferLimits): EventBuffer<E> => {
  let waiting: Array<AgentEvent> = []
  let characters = 0
  let exit: Exit.Exit<unknown, E> | undefined
  const hasRoom = Latch.makeUnsafe(false)
  const hasEvents = Latch.makeUnsafe(false)

  const push = (event: AgentEvent) => {
    waiting.push(event)
    hasEvents.openUnsafe()
  }
  /** Joins a piece of text with the waiting piece before it. Returns false if no such piece is waiting. */
  const tryJoin = (event: AgentEvent): boolean => {
    const last = waiting.at(-1)
    if (event._tag !== "Text" || last?._tag !== "Text" || last.round !== event.round) return false
    waiting[waiting.length - 1] = { ...last, delta: last.delta + event.delta }
    return true
  }
  const offer = (event: AgentEvent): Effect.Effect<void> =>
    Effect.suspend(() => {
      const isText = event._tag === "Text"
      if (isText && characters > 0 && characters + event.delta.length > maxCharacters) return wait(event)
      if (!tryJoin(event)) {
        if (waiting.length >= events) return wait(event)
        push(event)
      }
      if (isText) characters += event.delta.length
      return Effect.void
    })
  const wait = (event: AgentEvent): Effect.Effect<void> => {
    hasRoom.closeUnsafe()
    return Effect.andThen(hasRoom.await, offer(event))
  }
  return {
    offer,
    offerUnsafe: push,
    end: (result) =>
      Effect.sync(() => {
        exit = result
        hasEvents.openUnsafe()
      }),
    take: Effect.suspend(function take(): Effect.Effect<NonEmptyReadonlyArray<AgentEvent>, E | Cause.Done> {
      const [first, ...rest] = waiting
      if (first !== undefined) {
        waiting = []
        characters = 0
        hasRoom.openUnsafe()
        return Effect.succeed([first, ...rest])
      }
      if (exit !== undefined) return Exit.isSuccess(exit) ? Cause.done() : Effect.failCause(exit.cause)
      hasEvents.closeUnsafe()
      return Effect.andThen(hasEvents.await, Effect.suspend(take))
    })
  }
}
