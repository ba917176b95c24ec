/** What people were told, the last of it, in this process: notices wait for no answer and are not kept. */
import type { EscalationRequest } from "#services/Escalation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Notice {
  readonly at: number
  readonly request: EscalationRequest
}

/** Notices held at most. */
const limit = 50

export class Notices extends Context.Service<
  Notices,
  {
    readonly add: (request: EscalationRequest) => Effect.Effect<void>
    /** Newest first. */
    readonly all: Effect.Effect<ReadonlyArray<Notice>>
  }
>()("effect-toolguard/inbox/Notices") {}

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
