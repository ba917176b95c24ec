/**
 * How a durable run tells its events. Its body runs again whenever it goes on: what is held back until the first step
 * that is really made has been told before.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "#src/agent/AgentEvent"

export interface DurableTelling {
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  /** A step is being made: what was held back is news. */
  readonly live: Effect.Effect<void>
  /** A step was given again: what came before it is old. */
  readonly old: Effect.Effect<void>
  /** The call has been told as started. */
  readonly started: (callId: string) => void
}

export const make = (tell: (event: AgentEvent) => Effect.Effect<void>): DurableTelling => {
  let isLive = false
  let held: Array<AgentEvent> = []
  const started = new Set<string>()
  return {
    emit: (event) =>
      Effect.suspend(() => {
        if (event._tag === "CallStarted" && started.has(event.callId)) return Effect.void
        if (isLive) return tell(event)
        held.push(event)
        return Effect.void
      }),
    live: Effect.suspend(() => {
      const news = held
      held = []
      isLive = true
      return Effect.forEach(news, tell, { discard: true })
    }),
    old: Effect.sync(() => void (held = [])),
    started: (callId) => void started.add(callId)
  }
}
