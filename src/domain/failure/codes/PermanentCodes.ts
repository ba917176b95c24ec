/** The codes of `Permanent`: calls that will keep failing. */
import { otherToolHint, ofClass, rows, unknownCauseHint } from "./CodeInfo.ts"

/** The rows of `Permanent`. */
export const permanentCodes = rows("Permanent", {
  unauthorized: {
    nextStep: "ask_user",
    status: 403,
    saving: "none",
    meaning: "The guard's Authorizer, or the upstream, denies access.",
    hint: "Do not try again. Tell the user that access is denied.",
    passCondition: "an `Authorizer` that allows it"
  },
  permission_denied: {
    nextStep: "ask_user",
    status: 403,
    saving: "none",
    meaning: "The upstream denies access to something that the arguments name, such as a file.",
    hint: "Do not try again. Tell the user that access is denied.",
    passCondition: "permission for it, or a fallback whose `on` names this code"
  },
  missing_software: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "A program, module or file that the tool needs is not installed.",
    hint: "Use another tool or tell the user what is missing.",
    passCondition: ofClass
  },
  misconfigured: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning:
      "The tool's configuration is missing or wrong, no layer provides the tool, or another tool has the same `id`.",
    hint: "Use another tool or tell the user.",
    passCondition: ofClass
  },
  not_found: {
    nextStep: "use_other_tool",
    status: 404,
    saving: "none",
    meaning: "Something that the tool needs, and that the arguments do not name, does not exist.",
    hint: otherToolHint,
    passCondition: ofClass
  },
  wrong_state: {
    nextStep: "ask_user",
    status: 409,
    saving: "none",
    meaning: "The state of the target forbids the operation.",
    hint: "Change the state first, or tell the user.",
    passCondition: ofClass
  },
  unsupported: {
    nextStep: "use_other_tool",
    status: 501,
    saving: "none",
    meaning: "The upstream does not support this operation.",
    hint: otherToolHint,
    passCondition: ofClass
  },
  refused: {
    nextStep: "use_other_tool",
    status: 403,
    saving: "none",
    meaning: "The upstream permanently refuses the operation.",
    hint: otherToolHint,
    passCondition: ofClass
  },
  tool_crashed: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The tool has a defect; its cause is in the logs.",
    hint: otherToolHint,
    passCondition: ofClass
  },
  tool_failed: {
    nextStep: "use_other_tool",
    status: ofClass,
    saving: "none",
    meaning: "The tool failed for a reason that is not recognised.",
    hint: unknownCauseHint,
    passCondition: ofClass
  },
  halted: {
    nextStep: "use_other_tool",
    status: 503,
    saving: "none",
    meaning: "An operator has halted the tool; the call was not made.",
    hint: "Do not call it again until the user says that it is available. Use another tool or tell the user.",
    passCondition: "an operator who resumes the tool: `toolguard resume TOOL`"
  },
  response_too_large: {
    nextStep: "use_other_tool",
    status: 502,
    saving: "none",
    meaning: "The answer exceeds the size limit of the guard.",
    hint: "Ask for less (a filter, a smaller page), or use another tool.",
    passCondition: "a smaller answer: a narrower request, or pages"
  },
  store_unavailable: {
    nextStep: "ask_user",
    status: 503,
    saving: "none",
    meaning: "A store of the guard does not answer, so the call was not made.",
    hint: "Tell the user that the system is not ready.",
    passCondition: "a store that answers"
  }
})
