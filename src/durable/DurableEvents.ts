/**
 * Emits the events of a durable run once. The body runs from the start each time the run resumes: events before the first
 * step that is really executed were emitted before, so they are held back and dropped.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "#src/agent/AgentEvent"

export interface DurableEvents {
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  /** A step is executed: the events held back are new. */
  readonly live: Effect.Effect<void>
  /** A step was replayed: the events held back are old. */
  readonly old: Effect.Effect<void>
  /** The event `CallStarted` of this call was emitted before. */
  readonly started: (callId: string) => void
}

export const make = (tell: (event: AgentEvent) => Effect.Effect<void>): DurableEvents => {
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
