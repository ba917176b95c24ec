/** The codes of `Transient`: failures that may pass with time. */
import { ofClass, rows, repeatConditions } from "./CodeInfo.ts"

/** The rows of `Transient`. */
export const transientCodes = rows("Transient", {
  rate_limited: {
    nextStep: "wait",
    status: 429,
    saving: "none",
    meaning: "The upstream limits the rate of calls (429).",
    hint: "Wait, then try again.",
    passCondition: ofClass
  },
  timeout: {
    nextStep: "wait",
    status: 504,
    saving: "none",
    meaning: "The tool did not answer in time.",
    hint: "Try again later, or ask for less.",
    passCondition: ofClass
  },
  connection_failed: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "No connection could be made; nothing was sent.",
    hint: "Try again later, or use another tool.",
    passCondition: ofClass
  },
  connection_lost: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "The connection broke before the answer was complete.",
    hint: "Try again later, or use another tool.",
    passCondition: ofClass
  },
  body_cut: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "The transport cut the answer short.",
    hint: "Try again later, or use another tool.",
    passCondition: ofClass
  },
  unavailable: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "The upstream failed or is overloaded for the moment (5xx).",
    hint: "Try again later, or use another tool.",
    passCondition: ofClass
  },
  lock_conflict: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "Another operation holds a lock, or two transactions collided.",
    hint: "Try again shortly.",
    passCondition: ofClass
  },
  circuit_open: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "The tool failed so often that calls to it are suspended for a while.",
    hint: "Try again later, or use another tool.",
    passCondition: "the time until the circuit lets a probe through"
  },
  busy: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "Too many calls of this tool are running.",
    hint: "Try again shortly, with fewer parallel calls.",
    passCondition: "a free slot: fewer calls at once, or a larger `concurrency`"
  },
  shutting_down: {
    nextStep: "wait",
    status: 503,
    saving: "none",
    meaning: "The process is shutting down; the call was not made.",
    hint: "Nothing was done. Call again in a moment.",
    passCondition: "another process, or this one after its restart"
  },
  in_progress: {
    nextStep: "wait",
    status: 409,
    saving: "none",
    meaning: "The same action is already running.",
    hint: "Wait for it; do not start it again.",
    passCondition: "the completion of the same action, which is running"
  },
  temporary_failure: {
    nextStep: "wait",
    status: ofClass,
    saving: "none",
    meaning: "The error describes itself as temporary.",
    hint: "Try again later.",
    passCondition: ofClass
  },
  interrupted: {
    nextStep: "continue",
    status: ofClass,
    saving: "none",
    meaning: "The call was interrupted before its result was recorded.",
    hint: "If it only reads, call it again. If it changes something, check first whether it was done.",
    passCondition: ofClass
  },
  retry_budget_exceeded: {
    nextStep: "stop",
    status: 429,
    saving: "budget",
    meaning:
      "The attempts for this call are used up: in this turn, or until `retry_after_ms` is over. The class is that of the last failure.",
    hint: "Do not make this call again. Use another tool or tell the user.",
    passCondition: `${repeatConditions}; after Transient failures the end of \`retry_after_ms\`; or a larger \`budget\``
  }
})
