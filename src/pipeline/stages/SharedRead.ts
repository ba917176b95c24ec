/**
 * [9.3, 16] Lets identical reads of a model that arrive at the same time share one execution.
 *
 * A read does not join an identical read that started before another call of the conversation ended or before a program
 * wrote, because the result may have changed. It does not join a read whose caller accepts results of another shape. If
 * the first read is interrupted, the next read is made.
 */
import type { Outcome } from "#domain/call/Outcome"
import type { LoopState } from "#domain/loop/LoopDetector"
import { key as turnKey, type Turn } from "#domain/turn/Turn"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Call from "#pipeline/call/Call"

/** A running read. */
interface RunningRead {
  readonly startedAt: LoopState
  /** Created by the first read that joins. Its value is undefined if the read is interrupted. */
  outcome: Deferred.Deferred<Outcome | undefined> | undefined
}

/** Makes a read, or waits for the identical read. `state` is replaced when a call of the conversation ends. */
type SharedRead = (
  call: Call.Call,
  turn: Turn,
  state: LoopState,
  made: Effect.Effect<Outcome>
) => Effect.Effect<Outcome>

/** Creates the set of running reads of one tool. */
export const make = (): SharedRead => {
  const running = new Map<string, RunningRead>()
  const shared: SharedRead = (call, turn, state, made) =>
    Effect.suspend(() => {
      const name = `${turnKey(turn)} ${call.acceptsAnyShape} ${call.key()}`
      const first = running.get(name)
      if (first?.startedAt === state)
        return Effect.flatMap(Deferred.await((first.outcome ??= Deferred.makeUnsafe())), (outcome) => {
          if (outcome === undefined) return shared(call, turn, state, made)
          Call.decide(call, "loop", "joined", "the identical read is running")
          call.trace.isShared = true
          return Effect.succeed(outcome)
        })
      const own: RunningRead = { startedAt: state, outcome: undefined }
      running.set(name, own)
      return Effect.onExit(made, (exit) => {
        if (running.get(name) === own) running.delete(name)
        return own.outcome === undefined
          ? Effect.void
          : Deferred.succeed(own.outcome, Exit.isSuccess(exit) ? exit.value : undefined)
      })
    })
  return shared
}
