/**
 * The questions that wait for a person, and the decisions on them (SPEC 10.3, 10.4).
 *
 * **Details**
 *
 * - Every step is one atomic write: of several that decide one wins and the others are told who it was; of several calls that
 *   take one approval one gets it.
 * - `consume` takes part in the transaction of its caller where both use one database.
 * - What is decided stays, as a record of who decided what.
 * - The rules are those of `src/domain/approval/ApprovalRequest.ts`, for every layer. Contract: `test/contracts/Approvals.ts`.
 */
import type { ApprovalRequest, Refusal, Verdict } from "#domain/approval/ApprovalRequest"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as PubSub from "effect/PubSub"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { EscalationRequest } from "./Escalation.ts"

/** The store of the approvals does not answer. Nothing is approved by that. */
export class ApprovalsUnavailable extends Schema.TaggedError<ApprovalsUnavailable>(
  "effect-toolguard/ApprovalsUnavailable"
)("ApprovalsUnavailable", { cause: Schema.Defect() }) {}

/** What a person is to be asked. `binding` may be any text; it is kept as its digest. */
export interface Opening extends EscalationRequest {
  /** How long the request waits, and how long an approval of it is good. */
  readonly lifetime: Duration.Duration
}

/** What a person says. */
export interface Deciding {
  readonly verdict: Verdict
  readonly by: string
  readonly reason: string
  /** The binding that the person saw; refused where it is another one. */
  readonly binding?: string | undefined
}

export type Decided =
  | { readonly _tag: "Taken"; readonly request: ApprovalRequest }
  | { readonly _tag: "Refused"; readonly refusal: Refusal; readonly request: ApprovalRequest }
  | { readonly _tag: "Unknown" }

/** Which pending requests. */
export interface Listing {
  /** At most this many, oldest first. */
  readonly limit: number
  /** Only what comes after the request with this id. */
  readonly after?: string | undefined
  /** Only of these tools; absent: of all. */
  readonly tools?: ReadonlyArray<string> | undefined
  readonly tenants?: ReadonlyArray<string> | undefined
}

export interface Page {
  readonly requests: ReadonlyArray<ApprovalRequest>
  /** Pending requests in all, of these tools and tenants. */
  readonly total: number
}

export class Approvals extends Context.Service<
  Approvals,
  {
    /** Opens a request, or joins the one with the same binding. */
    readonly open: (
      opening: Opening
    ) => Effect.Effect<{ readonly request: ApprovalRequest; readonly isNew: boolean }, ApprovalsUnavailable>
    readonly decide: (id: string, deciding: Deciding) => Effect.Effect<Decided, ApprovalsUnavailable>
    /** Takes an approval for one start of the call; false where there is none, or no more. `binding`: the request's. */
    readonly consume: (id: string, binding: string) => Effect.Effect<boolean, ApprovalsUnavailable>
    /** Notes that an asker was told of a denial or an expiry. */
    readonly tell: (id: string) => Effect.Effect<void, ApprovalsUnavailable>
    readonly find: (id: string) => Effect.Effect<ApprovalRequest | undefined, ApprovalsUnavailable>
    readonly pending: (listing: Listing) => Effect.Effect<Page, ApprovalsUnavailable>
    /** Writes down what has expired by itself, and counts it. */
    readonly expire: Effect.Effect<number, ApprovalsUnavailable>
    /** Ids of the requests that this process changes, from now on. What other processes change is not among them. */
    readonly changes: Effect.Effect<PubSub.Subscription<string>, never, Scope.Scope>
  }
>()("effect-toolguard/Approvals") {}
