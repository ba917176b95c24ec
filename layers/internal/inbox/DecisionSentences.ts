/** Writes the sentences about a decision that approvers and programs read. */
import type { ApprovalRequest, Refusal } from "#domain/approval/ApprovalRequest"
import type { SettleRefusal, UnknownOutcome } from "#domain/approval/UnknownOutcome"
import { inWords } from "#domain/text/TimeSpan"

const verbs = { approve: "approved", deny: "denied", answer: "answered" } as const

/** Describes the decision on a request. */
export const outcomeSentence = ({ decision, state, tool }: ApprovalRequest): string =>
  decision === undefined
    ? state === "expired"
      ? `The request for ${tool} expired without a decision.`
      : state === "withdrawn"
        ? `The request for ${tool} was withdrawn: its run has ended.`
        : `The request for ${tool} is pending.`
    : `${decision.by} ${verbs[decision.verdict]} ${tool}.`

/** Describes the settlement of an unknown outcome. */
export const settlementSentence = ({ settlement, tool }: UnknownOutcome): string =>
  settlement === undefined
    ? `The outcome of ${tool} is not settled.`
    : `${settlement.by} found that ${tool} was ${settlement.finding === "done" ? "" : "not "}done.`

/** Says why a settlement does not count. */
export const settleRefusalSentence = (refusal: SettleRefusal, outcome: UnknownOutcome, now: number): string => {
  const { settlement } = outcome
  return refusal === "other_binding" || settlement === undefined
    ? "Your settlement does not count: it was made for a different call."
    : `Your settlement does not count: ${inWords(now - settlement.at)} ago, ${settlementSentence(outcome)}`
}

/** Says why a decision does not count. */
export const refusalSentence = (refusal: Refusal, request: ApprovalRequest, now: number): string => {
  switch (refusal) {
    case "decided": {
      const ago = request.decision === undefined ? "" : ` ${inWords(now - request.decision.at)} ago`
      return `Your decision does not count: ${request.decision?.by ?? "another approver"} already ${
        verbs[request.decision?.verdict ?? "approve"]
      } the request${ago}.`
    }
    case "expired":
      return "Your decision does not count: the request has expired."
    case "withdrawn":
      return "Your decision does not count: the run that made the request has ended."
    case "other_binding":
      return "Your decision does not count: it was made for a different call."
    case "empty_answer":
      return "An answer needs text: write what the model should read."
    case "used":
    case "not_approved":
    case "undecided":
      return "Your decision does not count."
  }
}
