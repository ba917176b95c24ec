/**
 * A request for a person's decision, and the steps that change the request, as pure functions [10.3], [10.4].
 *
 * ```text
 * pending ── approve ──> approved ── consume ──> used
 *    │                       └── expiry ──> expired
 *    ├── deny, answer ──> denied
 *    ├── the run ends ──> withdrawn
 *    └── expiry ──> expired
 * ```
 *
 * **Details**
 *
 * - `binding` is a digest of the subject of the request: tool, arguments, contract, conversation. It never changes, so
 *   that a decision applies to exactly what the person saw.
 * - The first decision counts. A later decision is refused, and the refusal contains the first.
 * - An approval is valid for one start of the call. It expires `lifetimeMillis` after the decision.
 * - A denial or expiry is reported to the next identical call, and to every identical call of the turn that made the
 *   request. Any other identical call creates a new request. A denial or expiry of a question about a run or a loop is
 *   reported once, so that a resumed run asks again.
 */
import * as Schema from "effect/Schema"
import { key as keyOf, Turn } from "#domain/turn/Turn"
import { Guidance } from "./Guidance.ts"

/** The state of a request. */
export const State = Schema.Literals(["pending", "approved", "denied", "expired", "used", "withdrawn"])
export type State = typeof State.Type

/**
 * The decision of a person. With `answer`, the model reads the person's words; a call is not made, and a stopped run
 * continues.
 */
export const Verdict = Schema.Literals(["approve", "deny", "answer"])
export type Verdict = typeof Verdict.Type

/** A decision with its author and time. */
export const Decision = Schema.Struct({
  verdict: Verdict,
  by: Schema.String,
  /** The reason that the model reads. It may be empty, except for an answer. */
  reason: Schema.String,
  at: Schema.Int
})
export type Decision = typeof Decision.Type

/** A person who has seen the masked parts of the arguments. */
export const Reveal = Schema.Struct({ by: Schema.String, at: Schema.Int })
export type Reveal = typeof Reveal.Type

/** A request for a person's decision. Times are epoch milliseconds. */
export const ApprovalRequest = Schema.Struct({
  /** The id of the request: 128 random bits. The id grants no permission. */
  id: Schema.String,
  /** The SHA-256 of the subject of the request, as 64 hex digits. */
  binding: Schema.String,
  level: Schema.Literals(["auto", "inform", "confirm", "block"]),
  /** The cause of the request: `approval`, or the code of a failure. */
  reason: Schema.String,
  tool: Schema.String,
  /** The sentence that the person reads. */
  sentence: Schema.String,
  /** What the guard did, what the person can do, and what happens otherwise. */
  guidance: Schema.optionalKey(Guidance),
  /** The arguments of the call, encoded and redacted; absent if there are none. */
  arguments: Schema.optionalKey(Schema.Json),
  /** The arguments as the person reads them, with secrets masked. */
  shown: Schema.optionalKey(Schema.String),
  /** The number of masked parts of the arguments; absent if no part is masked. */
  hidden: Schema.optionalKey(Schema.Int),
  /** Who has seen the masked parts, and when; absent if they were not revealed. */
  reveals: Schema.optionalKey(Schema.Array(Reveal)),
  turn: Schema.optionalKey(Turn),
  traceId: Schema.String,
  /** The call that the request is about. `run` is the id of its run. */
  callId: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String),
  requestedAt: Schema.Int,
  expiresAt: Schema.Int,
  /** How long the request waits, and how long its approval is valid. */
  lifetimeMillis: Schema.Int,
  state: State,
  decision: Schema.optionalKey(Decision),
  /** When a denial or expiry was first reported to a call. */
  toldAt: Schema.optionalKey(Schema.Int)
})
export type ApprovalRequest = typeof ApprovalRequest.Type

/** A person or program that may decide. An approver without `tools` or `tenants` may decide for all of them. */
export const Approver = Schema.Struct({
  name: Schema.String,
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  tenants: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Approver = typeof Approver.Type

/** The tenant of a request made outside a turn. */
const defaultTenant = "default"

/** The part of a request that an approver's limits refer to. */
interface Scope {
  readonly tool: string
  readonly turn?: Turn | undefined
}

/** Returns the tenant of a request. */
export const tenantOf = ({ turn }: Pick<Scope, "turn">): string => turn?.tenant ?? defaultTenant

/** True if an approver may see and decide a request. */
export const mayDecide = ({ tenants, tools }: Approver, scope: Scope): boolean =>
  (tools === undefined || tools.includes(scope.tool)) && (tenants === undefined || tenants.includes(tenantOf(scope)))

/** Returns the state of a request at the time `now`. Pending requests and unused approvals expire. */
export const stateAt = ({ expiresAt, state }: Pick<ApprovalRequest, "expiresAt" | "state">, now: number): State =>
  (state === "pending" || state === "approved") && now >= expiresAt ? "expired" : state

/** Returns the request with its state at the time `now`. */
export const at = (request: ApprovalRequest, now: number): ApprovalRequest => {
  const state = stateAt(request, now)
  return state === request.state ? request : { ...request, state }
}

/** A step of a request. */
export type Step =
  | {
      readonly _tag: "Decide"
      readonly verdict: Verdict
      readonly by: string
      readonly reason: string
      /** The binding that the person saw, if the page or client sends it. */
      readonly binding?: string | undefined
    }
  /** A call uses the approval to start. */
  | { readonly _tag: "Consume"; readonly binding: string }
  /** A denial or expiry is reported to a call. */
  | { readonly _tag: "Tell" }
  /** The run that made the request has ended, so no call will receive a decision [10.5]. */
  | { readonly _tag: "Withdraw" }

/** Why a step is refused. The request does not change. */
export type Refusal =
  /**
   * The request was decided before: its `decision` is the earlier decision. Also the reason why a request that is not
   * pending is not withdrawn.
   */
  | "decided"
  | "expired"
  /** The run that made the request has ended. */
  | "withdrawn"
  /** The approval has been used. */
  | "used"
  /** The request is not approved. */
  | "not_approved"
  /** The binding that the person saw, or the binding of the call, differs from the binding of the request. */
  | "other_binding"
  /** The decision is an answer, but has no text. */
  | "empty_answer"
  /** There is no denial or expiry to report. */
  | "undecided"

/** The result of a step. */
export type StepResult =
  | { readonly _tag: "Taken"; readonly request: ApprovalRequest }
  | { readonly _tag: "Refused"; readonly refusal: Refusal; readonly request: ApprovalRequest }

/** The maximum length of a person's reason, in UTF-16 units. A longer reason is cut. */
export const longestReason = 2_000

/** Takes a step or refuses it. Any step can be tried in any state. */
export const step = (stored: ApprovalRequest, next: Step, now: number): StepResult => {
  const request = at(stored, now)
  const refused = (refusal: Refusal): StepResult => ({ _tag: "Refused", refusal, request })
  switch (next._tag) {
    case "Decide": {
      const reason = next.reason.trim().slice(0, longestReason)
      if (next.binding !== undefined && next.binding !== request.binding) return refused("other_binding")
      if (request.state === "expired" && request.decision === undefined) return refused("expired")
      if (request.state === "withdrawn") return refused("withdrawn")
      if (request.state !== "pending") return refused("decided")
      if (next.verdict === "answer" && reason === "") return refused("empty_answer")
      const decision = { verdict: next.verdict, by: next.by, reason, at: now }
      return next.verdict === "approve"
        ? done({ ...request, state: "approved", decision, expiresAt: now + request.lifetimeMillis })
        : done({ ...request, state: "denied", decision })
    }
    case "Consume":
      if (next.binding !== request.binding) return refused("other_binding")
      if (request.state === "approved") return done({ ...request, state: "used" })
      return refused(request.state === "used" || request.state === "expired" ? request.state : "not_approved")
    case "Tell":
      return request.state === "denied" || request.state === "expired"
        ? done({ ...request, toldAt: request.toldAt ?? now })
        : refused("undecided")
    case "Withdraw":
      return request.state === "pending" ? done({ ...request, state: "withdrawn" }) : refused("decided")
  }
}

const done = (request: ApprovalRequest): StepResult => ({ _tag: "Taken", request })

/** True if an identical call of a turn joins the request instead of creating a new one. */
export const joins = (request: ApprovalRequest, turn: Turn | undefined, now: number): boolean => {
  switch (stateAt(request, now)) {
    case "pending":
    case "approved":
      return true
    case "denied":
    case "expired":
      return request.toldAt === undefined || (request.reason === "approval" && isSameTurn(request.turn, turn))
    case "used":
    case "withdrawn":
      return false
  }
}

const isSameTurn = (self: Turn | undefined, that: Turn | undefined): boolean =>
  self !== undefined && that !== undefined && keyOf(self) === keyOf(that)
