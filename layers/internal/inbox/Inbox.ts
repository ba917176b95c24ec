/** Holds the state that the routes of the inbox share: the services, the sessions and the public address. */
import { type ApprovalRequest, type Approver, mayDecide } from "#domain/approval/ApprovalRequest"
import { Approvals, type ApprovalsUnavailable } from "#services/Approvals"
import { Approvers } from "#services/Approvers"
import { UnknownOutcomes } from "#services/UnknownOutcomes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { limit, type Notice, Notices } from "./Notices.ts"
import { isUnguessableId } from "#services/Unguessable"
import type { View } from "./Pages.ts"
import * as PublicUrl from "./PublicUrl.ts"
import * as Sessions from "./Sessions.ts"

/** The public address, the polling and the readers of an inbox. */
interface Options {
  readonly publicUrl: string
  /** How often an open page is updated with decisions of other processes, in milliseconds. */
  readonly intervalMillis: number
  /** The maximum number of open event streams of one approver. */
  readonly maxReaders: number
}

/** An inbox. */
export interface Inbox extends Options {
  readonly approvals: Approvals["Service"]
  readonly approvers: Approvers["Service"]
  readonly outcomes: UnknownOutcomes["Service"]
  readonly sessions: Sessions.Sessions
  /** The number of open event streams, by the name of their approver. */
  readonly readers: Map<string, number>
  /** The origin of `publicUrl`: only its forms are accepted. */
  readonly origin: string
  /** The path before `/approvals`. */
  readonly base: string
  /** True if browsers reach the inbox over https. */
  readonly isSecure: boolean
  /** Returns the latest 50 notices that this approver may read. */
  readonly noticesFor: (approver: Approver) => Effect.Effect<ReadonlyArray<Notice>>
}

/** Creates the inbox. Dies if `publicUrl` is invalid. */
export const make = (options: Options): Effect.Effect<Inbox, never, Approvals | Approvers | UnknownOutcomes> =>
  Effect.gen(function* () {
    yield* PublicUrl.checked(options.publicUrl)
    const { origin, pathname, protocol } = new URL(options.publicUrl)
    const notices = yield* Effect.serviceOption(Notices)
    return {
      ...options,
      approvals: yield* Approvals,
      approvers: yield* Approvers,
      outcomes: yield* UnknownOutcomes,
      sessions: Sessions.make(),
      readers: new Map(),
      origin,
      base: pathname.replace(/\/+$/u, ""),
      isSecure: protocol === "https:",
      noticesFor: (approver) =>
        Option.match(notices, {
          onNone: () => Effect.succeed([]),
          onSome: ({ all }) =>
            Effect.map(all, (them) => them.filter(({ request }) => mayDecide(approver, request)).slice(0, limit))
        })
    }
  })

/** The name of the session cookie. */
export const cookieName = "toolguard_session"

/**
 * Returns the session of a request, and the time. Verifies the token at every request, so that removing an approver
 * ends the session.
 */
export const viewOf = ({ approvers, base, sessions }: Inbox, request: HttpServerRequest): Effect.Effect<View> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const session = sessions.find(request.cookies[cookieName], now)
    const approver = session === undefined ? undefined : yield* approvers.verify(session.token)
    return { base, now, session: session && approver && { ...session, approver } }
  })

/** Finds the approval request with an id. Returns undefined if it does not exist or the approver may not see it. */
export const findVisible = (
  { approvals }: Inbox,
  id: string,
  approver: Approver
): Effect.Effect<ApprovalRequest | undefined, ApprovalsUnavailable> =>
  isUnguessableId(id)
    ? Effect.map(approvals.find(id), (found) => (found !== undefined && mayDecide(approver, found) ? found : undefined))
    : Effect.undefined
