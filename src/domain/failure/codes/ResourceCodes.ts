/** The codes of `Resource`: exhausted limits. */
import { ofClass, rows } from "./CodeInfo.ts"

/** The rows of `Resource`. */
export const resourceCodes = rows("Resource", {
  out_of_memory: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "Memory is exhausted.",
    hint: "Ask for much less, or tell the user.",
    passCondition: ofClass
  },
  disk_full: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "Storage is exhausted.",
    hint: "Tell the user that storage is full.",
    passCondition: ofClass
  },
  too_many_open: {
    nextStep: "stop",
    status: 503,
    saving: "none",
    meaning: "No more connections, files, threads or processes can be opened.",
    hint: "Tell the user that the system is at its limit.",
    passCondition: ofClass
  },
  context_limit: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "A model's context or input limit is exceeded.",
    hint: "Shorten what is sent.",
    passCondition: ofClass
  },
  quota_exceeded: {
    nextStep: "stop",
    status: 429,
    saving: "none",
    meaning: "A quota or a paid balance is used up.",
    hint: "Stop using this tool and tell the user.",
    passCondition: ofClass
  },
  limit_exceeded: {
    nextStep: "stop",
    status: ofClass,
    saving: "none",
    meaning: "A configured limit of the system is exceeded.",
    hint: "Ask for less, or tell the user.",
    passCondition: ofClass
  },
  run_budget_exceeded: {
    nextStep: "stop",
    status: 429,
    saving: "none",
    meaning: "The run's token, time or money budget is spent.",
    hint: "Stop and summarise what is done.",
    passCondition: "a larger limit of the run"
  }
})
