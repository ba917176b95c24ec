/** The latest notices in this process. They need no answer, and are lost at a restart. */
import { tenantOf } from "#domain/approval/ApprovalRequest"
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

/** The maximum number of notices of one tenant, and of those that one approver reads. */
export const limit = 50

/** The maximum number of notices of all tenants. Beyond it, the oldest is forgotten. */
const maxNotices = 5_000

/** Holds the latest notices. */
export class Notices extends Context.Service<
  Notices,
  {
    readonly add: (request: EscalationRequest) => Effect.Effect<void>
    /** The notices, newest first. */
    readonly all: Effect.Effect<ReadonlyArray<Notice>>
  }
>()("effect-toolguard/inbox/Notices") {}

/** Keeps at most 50 notices of each tenant, so that one tenant does not displace the notices of all others. */
export const layer: Layer.Layer<Notices> = Layer.sync(Notices, () => {
  let notices: ReadonlyArray<Notice> = []
  return {
    add: (request) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        const tenant = tenantOf(request)
        const oldest = notices.filter((notice) => tenantOf(notice.request) === tenant)[limit - 1]
        notices = [{ at, request }, ...notices.filter((notice) => notice !== oldest)].slice(0, maxNotices)
      }),
    all: Effect.sync(() => notices)
  }
})
