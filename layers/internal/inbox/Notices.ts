/** The latest notices in this process. They need no answer, and are lost at a restart. */
import type { EscalationRequest } from "#services/Escalation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A notice, and its time in epoch milliseconds. */
export interface Notice {
  readonly at: number
  readonly request: EscalationRequest
}

/** The maximum number of notices. */
const limit = 50

/** Holds the latest notices. */
export class Notices extends Context.Service<
  Notices,
  {
    readonly add: (request: EscalationRequest) => Effect.Effect<void>
    /** The notices, newest first. */
    readonly all: Effect.Effect<ReadonlyArray<Notice>>
  }
>()("effect-toolguard/inbox/Notices") {}

/** Keeps at most 50 notices. */
export const layer: Layer.Layer<Notices> = Layer.sync(Notices, () => {
  let notices: ReadonlyArray<Notice> = []
  return {
    add: (request) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        notices = [{ at, request }, ...notices].slice(0, limit)
      }),
    all: Effect.sync(() => notices)
  }
})
