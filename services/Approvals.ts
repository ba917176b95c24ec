/**
 * Stores the requests for approval and the decisions on them [10.3] [10.4].
 *
 * **Details**
 *
 * - Every step is one atomic write. If several approvers decide at once, the first decision counts and the others see
 *   who made it; if several calls consume one approval, one gets it.
 * - `consume` joins the transaction of its caller if both use one database.
 * - Decided requests are kept, as a record of decisions and approvers.
 * - Every layer applies the rules of `src/domain/approval/ApprovalRequest.ts`. Contract: `test/contracts/Approvals.ts`.
 */
import type { ApprovalRequest, Refusal, Verdict } from "#domain/approval/ApprovalRequest"
import type { Turn } from "#domain/turn/Turn"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as PubSub from "effect/PubSub"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { EscalationRequest } from "./Escalation.ts"

/** The store of approvals does not respond. No call is approved in that case. */
export class ApprovalsUnavailable extends Schema.TaggedError<ApprovalsUnavailable>(
  "effect-toolguard/ApprovalsUnavailable"
)("ApprovalsUnavailable", { cause: Schema.Defect() }) {}

/** A question to a person. `binding` may be any text; the store keeps its digest. */
export interface Opening extends EscalationRequest {
  /** How long the request stays open, and how long an approval of it is valid. */
  readonly lifetime: Duration.Duration
}

/** A decision of an approver. */
export interface Deciding {
  readonly verdict: Verdict
  readonly by: string
  readonly reason: string
  /** The binding that the approver saw. The decision is refused if the request has a different binding. */
  readonly binding?: string | undefined
}

/**
 * `Taken`: the decision was stored. `Refused`: it was not; `refusal` gives the reason. `Unknown`: no request has this
 * id.
 */
export type Decided =
  | { readonly _tag: "Taken"; readonly request: ApprovalRequest }
  | { readonly _tag: "Refused"; readonly refusal: Refusal; readonly request: ApprovalRequest }
  | { readonly _tag: "Unknown" }

/** Selects pending requests. */
export interface Listing {
  /** At most this many, oldest first. */
  readonly limit: number
  /** Only requests after the one with this id. */
  readonly after?: string | undefined
  /** Only of these tools. Default: of all. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** Only of these tenants. Default: of all. */
  readonly tenants?: ReadonlyArray<string> | undefined
}

/** One page of the pending requests. */
export interface Page {
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** The number of pending requests of these tools and tenants, on all pages. */
  readonly total: number
}

export class Approvals extends Context.Service<
  Approvals,
  {
    /** False if its state is in this process only, so that tools with one id can be kept apart. Default true [2.10]. */
    readonly isShared?: boolean
    /** Opens a request, or joins the one with the same binding. */
    readonly open: (
      opening: Opening
    ) => Effect.Effect<{ readonly request: ApprovalRequest; readonly isNew: boolean }, ApprovalsUnavailable>
    /** Decides a pending request. */
    readonly decide: (id: string, deciding: Deciding) => Effect.Effect<Decided, ApprovalsUnavailable>
    /**
     * Uses up an approval for one start of the call. False if the request with this id and binding is not approved, or
     * no longer approved.
     */
    readonly consume: (id: string, binding: string) => Effect.Effect<boolean, ApprovalsUnavailable>
    /**
     * Marks a denial or an expiry as reported to the caller. An equal call of another turn then opens a new request.
     */
    readonly tell: (id: string) => Effect.Effect<void, ApprovalsUnavailable>
    /**
     * Withdraws the pending requests of a turn, whose run is over, and returns their number. They cannot be decided any
     * more.
     */
    readonly withdraw: (turn: Turn) => Effect.Effect<number, ApprovalsUnavailable>
    /** Returns the request with this id, in its current state. */
    readonly find: (id: string) => Effect.Effect<ApprovalRequest | undefined, ApprovalsUnavailable>
    /** Pending requests, oldest first. */
    readonly pending: (listing: Listing) => Effect.Effect<Page, ApprovalsUnavailable>
    /** Marks the requests that have expired, and returns their number. */
    readonly expire: Effect.Effect<number, ApprovalsUnavailable>
    /** The ids of requests that this process changes from now on. Changes by other processes are not included. */
    readonly changes: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("effect-toolguard/Approvals") {}
