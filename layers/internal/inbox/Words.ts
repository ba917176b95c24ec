/** What a person, or a program, is told of a decision: one sentence each. */
import type { ApprovalRequest, Refusal } from "#domain/approval/ApprovalRequest"
import { inWords } from "#domain/text/TimeSpan"

const verbs = { approve: "approved", deny: "denied", answer: "answered" } as const

/** What somebody has decided. */
export const outcomeOf = ({ decision, state, tool }: ApprovalRequest): string =>
  decision === undefined
    ? state === "expired"
      ? `Nobody decided on ${tool} in time.`
      : `${tool} waits for a decision.`
    : `${decision.by} ${verbs[decision.verdict]} ${tool}.`

/** Why a decision was not taken. */
export const refusalOf = (refusal: Refusal, request: ApprovalRequest, now: number): string => {
  switch (refusal) {
    case "decided": {
      const ago = request.decision === undefined ? "" : ` ${inWords(now - request.decision.at)} ago`
      return `Your decision was not taken: ${request.decision?.by ?? "somebody"} was quicker, and ${
        verbs[request.decision?.verdict ?? "approve"]
      } it${ago}.`
    }
    case "expired":
      return "Your decision was not taken: the time for it is over."
    case "other_binding":
      return "Your decision was not taken: it was made for something else than what is asked."
    case "empty_answer":
      return "An answer needs words: write what the model is to read."
    case "used":
    case "not_approved":
    case "undecided":
      return "Your decision was not taken."
  }
}
