/** Outcomes for contract suites. */
import * as Failure from "#domain/Failure"
import { failed, type Outcome, success } from "#domain/Outcome"
import type { Turn } from "#domain/Turn"

export const turn: Turn = { conversation: "conversation", turn: "turn", tenant: "tenant" }

const shared = { tool: "search", detail: "detail", hint: "hint", traceId: "trace" } as const

export const transient = (over: object = {}): Outcome => ({
  ...failed(new Failure.Transient({ ...shared, code: "unavailable", sideEffect: "none" })),
  ...over
})
export const resource: Outcome = failed(new Failure.Resource({ ...shared, code: "disk_full", sideEffect: "none" }))
export const permanent: Outcome = failed(new Failure.Permanent({ ...shared, code: "refused", sideEffect: "none" }))
export const partial: Outcome = failed(
  new Failure.PartialData({ ...shared, code: "incomplete_result", sideEffect: "none", data: { n: 1 } })
)
export const committed: Outcome = failed(
  new Failure.SchemaMismatch({ ...shared, code: "done_unreadable", sideEffect: "committed" })
)
export const unknown: Outcome = failed(
  new Failure.HumanReview({ ...shared, code: "outcome_unknown", sideEffect: "unknown" })
)
export const one: Outcome = success({ n: 1 })
export const two: Outcome = success({ n: 2 })
