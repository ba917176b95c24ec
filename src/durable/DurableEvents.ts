/**
 * Emits each event of a durable run once, except that the last events before a crash may be repeated. The workflow body
 * runs from the start each time the run resumes, and replays the stored steps. Events are buffered until the next step:
 * they are dropped if that step is replayed, and emitted if that step is executed. After replayed steps, the first
 * event is `Resumed`.
 */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "#src/agent/AgentEvent"

/** What a replayed step contained: the reply of a round, or a number of finished calls. */
export interface ReplayedStep {
  readonly round?: number
  readonly calls?: number
}

export interface DurableEvents {
  readonly emit: (event: AgentEvent) => Effect.Effect<void>
  /** Called when a step is executed. Emits the buffered events. Later events are then emitted immediately. */
  readonly executed: Effect.Effect<void>
  /** Called when a step was replayed. Drops the buffered events, which were emitted before. */
  readonly replayed: (step: ReplayedStep) => Effect.Effect<void>
  /** Drops further `CallStarted` events of this call, because its first one was emitted before. */
  readonly started: (callId: string) => void
}

export const make = (run: string, onEvent: (event: AgentEvent) => Effect.Effect<void>): DurableEvents => {
  let isLive = false
  let resumed: Extract<AgentEvent, { readonly _tag: "Resumed" }> | undefined
  let buffered: Array<AgentEvent> = []
  const started = new Set<string>()
  return {
    emit: (event) =>
      Effect.suspend(() => {
        if (event._tag === "CallStarted" && started.has(event.callId)) return Effect.void
        if (isLive) return onEvent(event)
        buffered.push(event)
        return Effect.void
      }),
    executed: Effect.suspend(() => {
      const events = isLive || resumed === undefined ? buffered : [resumed, ...buffered]
      buffered = []
      isLive = true
      return Effect.forEach(events, onEvent, { discard: true })
    }),
    replayed: ({ calls = 0, round = 0 }) =>
      Effect.sync(() => {
        buffered = []
        const before = resumed ?? { round: 0, calls: 0 }
        resumed = { _tag: "Resumed", run, round: Math.max(before.round, round), calls: before.calls + calls }
      }),
    started: (callId) => void started.add(callId)
  }
}
