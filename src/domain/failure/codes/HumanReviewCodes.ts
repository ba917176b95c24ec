/** The codes of `HumanReview`: calls that need a person, were denied by one, or have an unknown outcome. */
import { ofClass, rows, repeatConditions } from "./CodeInfo.ts"

/** The rows of `HumanReview`. */
export const humanReviewCodes = rows("HumanReview", {
  requires_human_approval: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "A person must approve the call before it runs.",
    hint: "Wait for the decision; do not call again until then.",
    passCondition: "the approval of a person, and the same call again"
  },
  approval_denied: {
    nextStep: "ask_user",
    status: 403,
    saving: "none",
    meaning: "A person denied the call.",
    hint: "Do not repeat the call. Ask the user how to continue.",
    passCondition: "a new turn, and a person who approves"
  },
  answered_by_person: {
    nextStep: "continue",
    status: 403,
    saving: "none",
    meaning: "A person answered in words instead of letting the call run.",
    hint: "Follow the person's answer. Do not repeat this call.",
    passCondition: "a new turn, and a person who approves"
  },
  approval_expired: {
    nextStep: "ask_user",
    status: ofClass,
    saving: "none",
    meaning: "No person decided before the request expired.",
    hint: "Ask the user how to continue.",
    passCondition: "a person who decides in time, or a longer expiry"
  },
  no_person: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "A person must decide, but none can be reached.",
    hint: "Stop here and report that a decision is needed.",
    passCondition: "a layer of `Escalation` that reaches a person"
  },
  review_requested: {
    nextStep: "ask_user",
    status: ofClass,
    saving: "none",
    meaning: "The tool answered that a person must decide.",
    hint: "Do not call again. Ask the user how to continue.",
    passCondition: "the decision of a person, in the system of the tool"
  },
  outcome_unknown: {
    nextStep: "stop",
    status: 500,
    saving: "none",
    meaning: "It is not known whether the action was done.",
    hint: "Do not repeat it. A person must check whether it was done.",
    passCondition: "`reconcile` on the tool, or a person who settles whether it was done (`toolguard outcomes`)"
  },
  loop_detected: {
    nextStep: "stop",
    status: 429,
    saving: "loop",
    meaning: "The run repeats itself without progress.",
    hint: "Stop repeating. Answer with what you have, or ask the user.",
    passCondition: `another answer, ${repeatConditions}; a person who lets it continue; or \`poll\` on a tool that is meant to be repeated`
  }
})
