/** What every route of the inbox works with, made once: the services, who is signed in, and where the inbox stands. */
import { type ApprovalRequest, type Approver, mayDecide } from "#domain/approval/ApprovalRequest"
import { Approvals, type ApprovalsUnavailable } from "#services/Approvals"
import { Approvers } from "#services/Approvers"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { type Notice, Notices } from "./Notices.ts"
import { isRandomId } from "#layers/internal/stores/RandomId"
import type { View } from "./Pages.ts"
import * as PublicUrl from "./PublicUrl.ts"
import * as Sessions from "./Sessions.ts"

export interface DeskOptions {
  readonly publicUrl: string
  /** Milliseconds between looks at what other processes decided, for an open page. */
  readonly interval: number
}

export interface Desk extends DeskOptions {
  readonly approvals: Approvals["Service"]
  readonly approvers: Approvers["Service"]
  readonly sessions: Sessions.Sessions
  /** Of `publicUrl`: the only origin whose forms count. */
  readonly origin: string
  /** The path in front of `/approvals`. */
  readonly base: string
  readonly isSecure: boolean
  /** What this approver may read of the notices. */
  readonly noticesFor: (approver: Approver) => Effect.Effect<ReadonlyArray<Notice>>
}

export const make = (options: DeskOptions): Effect.Effect<Desk, never, Approvals | Approvers> =>
  Effect.gen(function* () {
    yield* PublicUrl.checked(options.publicUrl)
    const { origin, pathname, protocol } = new URL(options.publicUrl)
    const notices = yield* Effect.serviceOption(Notices)
    return {
      ...options,
      approvals: yield* Approvals,
      approvers: yield* Approvers,
      sessions: Sessions.make(),
      origin,
      base: pathname.replace(/\/+$/u, ""),
      isSecure: protocol === "https:",
      noticesFor: (approver) =>
        Option.match(notices, {
          onNone: () => Effect.succeed([]),
          onSome: ({ all }) => Effect.map(all, (them) => them.filter(({ request }) => mayDecide(approver, request)))
        })
    }
  })

export const cookieName = "toolguard_session"

/** Who asks, and when. A session whose token counts no more is none, and what its approver may do is asked anew each time. */
export const viewOf = ({ approvers, base, sessions }: Desk, request: HttpServerRequest): Effect.Effect<View> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const session = sessions.find(request.cookies[cookieName], now)
    const approver = session === undefined ? undefined : yield* approvers.verify(session.token)
    return { base, now, session: session && approver && { ...session, approver } }
  })

/** The request of an id, where the approver may see it. What they may not see is not there. */
export const named = (
  { approvals }: Desk,
  id: string,
  approver: Approver
): Effect.Effect<ApprovalRequest | undefined, ApprovalsUnavailable> =>
  isRandomId(id)
    ? Effect.map(approvals.find(id), (found) => (found !== undefined && mayDecide(approver, found) ? found : undefined))
    : Effect.undefined
