/**
 * Returns how a situation must be reported by the specification (2.9, 3.3, 3.5, 4.12, 8.3 and 10.2), from the answer and
 * the policy alone.
 *
 * Nothing here is read from the guard's own tables, so that the guard and this module can disagree.
 */
import type { SideEffect } from "#domain/failure/Failure"
import type { Answer, NamedFailure } from "./Answer.ts"
import type { Deed, Situation } from "./Situation.ts"

/** What is reported about a call. */
export interface SpecifiedReport {
  readonly outcome: "success" | "partial" | "failure"
  readonly class?: string
  readonly code?: string
  readonly sideEffect: SideEffect
  readonly usedFallback: boolean
  /** True if a run ends because a person must decide. */
  readonly endsForPerson: boolean
}

const succeeded = (sideEffect: SideEffect, usedFallback = false): SpecifiedReport => ({
  outcome: "success",
  sideEffect,
  usedFallback,
  endsForPerson: false
})

const failed = (named: NamedFailure, sideEffect: SideEffect, endsForPerson = false): SpecifiedReport => ({
  outcome: "failure",
  ...named,
  sideEffect,
  usedFallback: false,
  endsForPerson
})

/** [4.12] True if a fallback runs: after one of these classes, unless the handler declared a refusal. */
const hasAlternative = ({ answer, policy }: Situation, named: NamedFailure): boolean =>
  policy === "fallback" &&
  !("refusal" in answer.given && answer.depth === 0) &&
  named.code !== "unauthorized" &&
  (named.class === "Permanent" || named.class === "SchemaMismatch" || named.class === "Transient")

/** [3.3] Returns what a lookup reports about the action. */
const lookedUp = (deed: Deed): SideEffect =>
  deed === "nothing" ? "none" : deed === "half" || deed === "later" ? "unknown" : "committed"

const unsettled: NamedFailure = { class: "HumanReview", code: "outcome_unknown" }

const afterNothing = (situation: Situation, named: NamedFailure): SpecifiedReport => {
  if (hasAlternative(situation, named)) return succeeded(situation.access === "read" ? "none" : "committed", true)
  // [10.2] wrong arguments of a destructive call are confirmed
  const isConfirmed = named.class === "ToolArgError" && situation.access === "destructive"
  return failed(named, "none", isConfirmed)
}

const ofWrite = (situation: Situation): SpecifiedReport => {
  const { access, answer, deed, policy } = situation
  const named = answer.write ?? answer.read
  if (answer.evidence === "committed") return named === undefined ? succeeded("committed") : failed(named, "committed")
  // 202 with a result: the upstream has accepted the action and does it later
  if (named === undefined) return succeeded("unknown")
  if (answer.evidence === "none") return afterNothing(situation, named)
  if (policy === "honoured key" && named.class === "Transient") return succeeded("committed")
  if (policy === "reconcile" && lookedUp(deed) === "committed") return succeeded("committed")
  if (policy === "reconcile" && lookedUp(deed) === "none") return afterNothing(situation, named)
  return answer.isAnswered && access !== "destructive" ? failed(named, "unknown") : failed(unsettled, "unknown", true)
}

/** [4.10] Returns how an incomplete result is reported: to a caller whose type has no such result, as unreadable. */
const ofPart = (situation: Situation): SpecifiedReport => {
  const { access, caller } = situation
  const sideEffect = access === "read" ? "none" : "committed"
  const code = access === "read" ? "invalid_result" : "done_unreadable"
  if (caller === "program" || caller === "openapi") {
    const unreadable: NamedFailure = { class: "SchemaMismatch", code }
    return access === "read" ? afterNothing(situation, unreadable) : failed(unreadable, sideEffect)
  }
  const part = failed({ class: "PartialData", code: "incomplete_result" }, sideEffect)
  return { ...part, outcome: "partial" }
}

/** Returns the report that the specification requires. */
export const specified = (situation: Situation): SpecifiedReport => {
  const { access, answer } = situation
  if (answer.read?.class === "PartialData") return ofPart(situation)
  if (access !== "read") return ofWrite(situation)
  return answer.read === undefined ? succeeded("none") : afterNothing(situation, answer.read)
}

const provenBy: Readonly<Record<Exclude<SideEffect, "unknown">, Deed>> = { none: "nothing", committed: "all" }

/** Returns the deed of an upstream that keeps to its protocol; `all` if its answer proves nothing. */
export const evidenceDeed = ({ evidence }: Answer): Deed => (evidence === "none" ? "nothing" : "all")

/** True if the guard repeats the call under a key that the upstream honours. */
const isRepeated = ({ evidence, read }: Answer): boolean => evidence !== "committed" && read?.class === "Transient"

/** True if the upstream did what its answer says, once for each key, and if its lookup reports the action. */
export const keepsProtocol = ({ access, answer, deed, policy }: Situation): boolean => {
  if (access === "read") return true
  if (answer.evidence !== "unknown") return deed === provenBy[answer.evidence]
  if (deed !== "twice") return true
  return policy !== "reconcile" && !(policy === "honoured key" && isRepeated(answer))
}
