/**
 * Stores the requests for approval and the decisions on them [10.3] [10.4].
 *
 * **Details**
 *
 * - Every step is one atomic write. If several approvers decide at the same time, the first decision counts, and the
 *   other approvers see who made it. If several calls consume one approval, only one call gets it.
 * - `consume` joins the transaction of its caller if both use the same database.
 * - Decided requests are kept as a record of decisions and approvers.
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

/** The store of approvals does not respond. While it does not, no call is approved. */
export class ApprovalsUnavailable extends Schema.TaggedError<ApprovalsUnavailable>(
  "effect-toolguard/ApprovalsUnavailable"
)("ApprovalsUnavailable", { cause: Schema.Defect() }) {}

/** A question to a person. `binding` may be any text; the store keeps its digest. */
export interface ApprovalQuestion extends EscalationRequest {
  /** How long the request stays open, and how long an approval of it is valid. */
  readonly lifetime: Duration.Duration
}

/** A decision of an approver. */
export interface NewDecision {
  readonly verdict: Verdict
  readonly by: string
  readonly reason: string
  /** The binding that the approver saw. The decision is refused if the request has a different binding. */
  readonly binding?: string | undefined
}

/**
 * The result of a decision. `Taken`: the decision was stored. `Refused`: it was not stored, and `refusal` gives the
 * reason. `Unknown`: no request has this id.
 */
export type DecisionResult =
  | { readonly _tag: "Taken"; readonly request: ApprovalRequest }
  | { readonly _tag: "Refused"; readonly refusal: Refusal; readonly request: ApprovalRequest }
  | { readonly _tag: "Unknown" }

/** Selects pending requests. */
export interface Listing {
  /** The maximum number of requests. The oldest come first. */
  readonly limit: number
  /** Only requests after the request with this id. */
  readonly after?: string | undefined
  /** Only requests of these tools. Default: all tools. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** Only requests of these tenants. Default: all tenants. */
  readonly tenants?: ReadonlyArray<string> | undefined
}

/** One page of the pending requests. */
export interface Page {
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** The number of pending requests of these tools and tenants, on all pages. */
  readonly total: number
  /**
   * The ids of the requests on this page that cannot be read, because a person or another program changed their rows. Nobody
   * can decide them, and they expire like others. Absent if there are none.
   */
  readonly unreadable?: ReadonlyArray<string> | undefined
}

export class Approvals extends Context.Service<
  Approvals,
  {
    /**
     * False if the state is only in this process, where tools with the same id can be kept apart. Default true [2.10].
     */
    readonly isShared?: boolean
    /** Opens a request, or joins the open request with the same binding. */
    readonly open: (
      opening: ApprovalQuestion
    ) => Effect.Effect<{ readonly request: ApprovalRequest; readonly isNew: boolean }, ApprovalsUnavailable>
    /**
     * Returns the arguments of a pending request with the masked parts, and stores who has seen them. Undefined if
     * nothing is masked, or the request is not pending. The masked parts are deleted when the request is no longer
     * pending.
     */
    readonly reveal: (id: string, by: string) => Effect.Effect<string | undefined, ApprovalsUnavailable>
    /** Decides a pending request. */
    readonly decide: (id: string, deciding: NewDecision) => Effect.Effect<DecisionResult, ApprovalsUnavailable>
    /**
     * Consumes an approval for one start of the call. Returns false if the request with this id and binding is not
     * approved, or no longer approved.
     */
    readonly consume: (id: string, binding: string) => Effect.Effect<boolean, ApprovalsUnavailable>
    /**
     * Marks a denial or an expiry as reported to the caller. An identical call of another turn then opens a new request.
     */
    readonly tell: (id: string) => Effect.Effect<void, ApprovalsUnavailable>
    /**
     * Withdraws the pending requests of a turn whose run has ended, and returns their number. Withdrawn requests cannot
     * be decided.
     */
    readonly withdraw: (turn: Turn) => Effect.Effect<number, ApprovalsUnavailable>
    /** Returns the request with this id, in its current state. */
    readonly find: (id: string) => Effect.Effect<ApprovalRequest | undefined, ApprovalsUnavailable>
    /** Returns pending requests, oldest first. */
    readonly pending: (listing: Listing) => Effect.Effect<Page, ApprovalsUnavailable>
    /** Marks the requests that have expired, and returns their number. */
    readonly expire: Effect.Effect<number, ApprovalsUnavailable>
    /** The ids of requests that this process changes from now on, without the changes by other processes. */
    readonly changes: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("effect-toolguard/Approvals") {}
