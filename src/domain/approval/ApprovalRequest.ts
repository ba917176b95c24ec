/**
 * A question that waits for a person, and every step it can take (SPEC 10.3, 10.4): pure, total, without a clock.
 *
 * ```text
 * pending ── approve ──> approved ── consume ──> used
 *    │                       └── its time is over ──> expired
 *    ├── deny, answer ──> denied
 *    └── its time is over ──> expired
 * ```
 *
 * **Details**
 *
 * - `binding` is a digest of what is asked about: tool, arguments, contract, conversation. A request never changes it, so a
 *   decision counts for exactly what the person saw.
 * - The first decision wins; whoever comes later is told who it was.
 * - An approval is good for one start of the call, and for as long after the decision as the request could wait at most.
 * - A denial, or an expiry, is told to the next equal call, and to every equal call of the same turn; after that an equal
 *   call is a new question.
 */
import * as Schema from "effect/Schema"
import { key as keyOf, Turn } from "#domain/turn/Turn"

export const State = Schema.Literals(["pending", "approved", "denied", "expired", "used"])
export type State = typeof State.Type

/** What a person can say. `answer` denies the call and gives the model the person's own words instead of a result. */
export const Verdict = Schema.Literals(["approve", "deny", "answer"])
export type Verdict = typeof Verdict.Type

export const Decision = Schema.Struct({
  verdict: Verdict,
  by: Schema.String,
  /** What the model is told of it; may be empty, but for an answer. */
  reason: Schema.String,
  at: Schema.Int
})
export type Decision = typeof Decision.Type

/** Times are milliseconds since 1970. */
export const ApprovalRequest = Schema.Struct({
  /** 128 random bits. Names the request and grants nothing. */
  id: Schema.String,
  /** SHA-256 of what is asked about, as 64 hex digits. */
  binding: Schema.String,
  level: Schema.Literals(["auto", "inform", "confirm", "block"]),
  /** Why: `approval`, or the code of a failure. */
  reason: Schema.String,
  tool: Schema.String,
  /** What the person reads. */
  sentence: Schema.String,
  /** Encoded and redacted; absent where there are none. */
  arguments: Schema.optionalKey(Schema.Json),
  turn: Schema.optionalKey(Turn),
  traceId: Schema.String,
  requestedAt: Schema.Int,
  expiresAt: Schema.Int,
  /** How long the request waits, and how long an approval of it is good. */
  lifetimeMillis: Schema.Int,
  state: State,
  decision: Schema.optionalKey(Decision),
  /** When an asker was told of a denial or an expiry. */
  toldAt: Schema.optionalKey(Schema.Int)
})
export type ApprovalRequest = typeof ApprovalRequest.Type

/** A person (or a program) that may decide. Absent lists are no limits. */
export const Approver = Schema.Struct({
  name: Schema.String,
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  tenants: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Approver = typeof Approver.Type

/** The tenant of a request that came from outside of a turn. */
export const defaultTenant = "default"

/** What limits are about. */
interface Asked {
  readonly tool: string
  readonly turn?: Turn | undefined
}

export const tenantOf = ({ turn }: Pick<Asked, "turn">): string => turn?.tenant ?? defaultTenant

/** Whether an approver may see and decide a request. */
export const mayDecide = ({ tenants, tools }: Approver, asked: Asked): boolean =>
  (tools === undefined || tools.includes(asked.tool)) && (tenants === undefined || tenants.includes(tenantOf(asked)))

/** The state as it is at a time: what was left open expires by itself. */
export const stateAt = ({ expiresAt, state }: Pick<ApprovalRequest, "expiresAt" | "state">, now: number): State =>
  (state === "pending" || state === "approved") && now >= expiresAt ? "expired" : state

/** The request as it is at a time. */
export const at = (request: ApprovalRequest, now: number): ApprovalRequest => {
  const state = stateAt(request, now)
  return state === request.state ? request : { ...request, state }
}

/** What happens to a request. */
export type Step =
  | {
      readonly _tag: "Decide"
      readonly verdict: Verdict
      readonly by: string
      readonly reason: string
      /** What the person saw, where the page or the client says so. */
      readonly binding?: string | undefined
    }
  /** A call takes the approval for its start. */
  | { readonly _tag: "Consume"; readonly binding: string }
  /** An asker is told of a denial or an expiry. */
  | { readonly _tag: "Tell" }

/** Why a step is not taken. The request stays as it is. */
export type Refusal =
  /** Somebody was quicker: `decision` of the request says who. */
  | "decided"
  | "expired"
  /** The approval has been taken. */
  | "used"
  /** There is no approval to take. */
  | "not_approved"
  /** What the person saw, or the call that wants to start, is something else. */
  | "other_binding"
  /** An answer without words. */
  | "empty_answer"
  /** There is nothing to tell. */
  | "undecided"

export type Stepped =
  | { readonly _tag: "Taken"; readonly request: ApprovalRequest }
  | { readonly _tag: "Refused"; readonly refusal: Refusal; readonly request: ApprovalRequest }

/** Longest words of a person that are kept. */
export const longestReason = 2_000

/** Takes a step, or says why not. Total: every state knows every step. */
export const step = (stored: ApprovalRequest, taken: Step, now: number): Stepped => {
  const request = at(stored, now)
  const refused = (refusal: Refusal): Stepped => ({ _tag: "Refused", refusal, request })
  switch (taken._tag) {
    case "Decide": {
      const reason = taken.reason.trim().slice(0, longestReason)
      if (taken.binding !== undefined && taken.binding !== request.binding) return refused("other_binding")
      if (request.state === "expired" && request.decision === undefined) return refused("expired")
      if (request.state !== "pending") return refused("decided")
      if (taken.verdict === "answer" && reason === "") return refused("empty_answer")
      const decision = { verdict: taken.verdict, by: taken.by, reason, at: now }
      return taken.verdict === "approve"
        ? done({ ...request, state: "approved", decision, expiresAt: now + request.lifetimeMillis })
        : done({ ...request, state: "denied", decision })
    }
    case "Consume":
      if (taken.binding !== request.binding) return refused("other_binding")
      if (request.state === "approved") return done({ ...request, state: "used" })
      return refused(request.state === "used" || request.state === "expired" ? request.state : "not_approved")
    case "Tell":
      return request.state === "denied" || request.state === "expired"
        ? done({ ...request, toldAt: request.toldAt ?? now })
        : refused("undecided")
  }
}

const done = (request: ApprovalRequest): Stepped => ({ _tag: "Taken", request })

/** Whether an equal call of a turn joins the request, instead of asking anew. */
export const joins = (request: ApprovalRequest, turn: Turn | undefined, now: number): boolean => {
  switch (stateAt(request, now)) {
    case "pending":
    case "approved":
      return true
    case "denied":
    case "expired":
      return request.toldAt === undefined || isSameTurn(request.turn, turn)
    case "used":
      return false
  }
}

const isSameTurn = (self: Turn | undefined, that: Turn | undefined): boolean =>
  self !== undefined && that !== undefined && keyOf(self) === keyOf(that)
