/** The codes of `HumanReview`. */
import { ofClass, rows, sameAgain } from "./CodeInfo.ts"

export const humanReviewCodes = rows("HumanReview", {
  requires_human_approval: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "A person must approve the call before it runs.",
    hint: "Wait for the decision; do not call again meanwhile.",
    passage: "the approval of a person, and the same call again"
  },
  approval_denied: {
    nextStep: "ask_user",
    status: 403,
    saving: "none",
    meaning: "A person denied the call.",
    hint: "Do not repeat the call. Ask the user how to go on.",
    passage: "a new turn, and a person who approves"
  },
  approval_expired: {
    nextStep: "ask_user",
    status: ofClass,
    saving: "none",
    meaning: "Nobody decided in time.",
    hint: "Ask the user how to go on.",
    passage: "a person who decides in time, or a longer expiry"
  },
  no_person: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "A person must decide, and none can be reached.",
    hint: "Stop here and report that a decision is needed.",
    passage: "a way to a person: a layer of `Escalation`"
  },
  outcome_unknown: {
    nextStep: "stop",
    status: 500,
    saving: "none",
    meaning: "It is not known whether the action was done.",
    hint: "Do not repeat it. A person must check whether it was done.",
    passage: "`reconcile` on the tool, or a person who finds out whether it was done"
  },
  loop_detected: {
    nextStep: "stop",
    status: 429,
    saving: "loop",
    meaning: "The run repeats itself without progress.",
    hint: "Stop repeating. Answer with what you have, or ask the user.",
    passage: `another answer, ${sameAgain}; a person who lets it go on; or \`poll\` on a tool that is meant to be repeated`
  }
})
