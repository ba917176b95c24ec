/**
 * The closed list of the codes that the guard itself gives, each with its class, its meaning and the default
 * instruction to the model. A check's codes are its tool's own and stand beside these.
 *
 * The table is documentation and behaviour at once: the list of codes in docs/failures.md is generated from it, and a failure
 * made without a hint gets the one that stands here.
 */
import type { FailureTag } from "./Failure.ts"

/** What the model should do next. A closed set (SPEC 5.5). */
export type NextStep = "fix_arguments" | "wait" | "continue" | "use_other_tool" | "ask_user" | "stop"

/** One row of the table. */
export interface CodeInfo {
  readonly tag: FailureTag
  /** One sentence for people: when this code is given. */
  readonly meaning: string
  /** The instruction to the model where nothing better is known. */
  readonly hint: string
  readonly nextStep: NextStep
}

const row = (tag: FailureTag, nextStep: NextStep, meaning: string, hint: string): CodeInfo => ({
  tag,
  meaning,
  hint,
  nextStep
})

const anotherWay = "The same call will fail again. Use another tool or tell the user."

/** Every code of the guard's own. */
export const codes = {
  unknown_tool: row(
    "ToolArgError",
    "fix_arguments",
    "No tool has the name that the model called.",
    "Call one of the tools that exist."
  ),
  invalid_json: row(
    "ToolArgError",
    "fix_arguments",
    "The arguments are text that is not JSON.",
    "Send the arguments again as one valid JSON object."
  ),
  truncated_arguments: row(
    "ToolArgError",
    "fix_arguments",
    "The arguments end in the middle: the model's output was cut.",
    "Your output was cut. Send the arguments in smaller parts."
  ),
  arguments_too_large: row(
    "ToolArgError",
    "fix_arguments",
    "The arguments are larger or deeper than the guard reads.",
    "Send smaller, flatter arguments."
  ),
  invalid_arguments: row(
    "ToolArgError",
    "fix_arguments",
    "The arguments break the tool's parameters schema.",
    "Correct the named fields and call again."
  ),
  unseen_id: row(
    "ToolArgError",
    "fix_arguments",
    "An entity id appears nowhere in the conversation.",
    "Look the id up first; do not invent one."
  ),
  key_conflict: row(
    "ToolArgError",
    "fix_arguments",
    "The idempotency key was used before with other arguments.",
    "Use the arguments of the first call, or a new key for a new action."
  ),
  invalid_request: row(
    "ToolArgError",
    "fix_arguments",
    "The upstream refused the request as wrong (400, 422 …).",
    "Correct the arguments as the message says and call again."
  ),
  unknown_reference: row(
    "ToolArgError",
    "fix_arguments",
    "The arguments name something that does not exist (id, path, table, branch).",
    "Check the name, or list what exists first."
  ),
  conflicting_value: row(
    "ToolArgError",
    "fix_arguments",
    "A value collides with what is stored (unique key, constraint).",
    "Choose another value, or read the existing one first."
  ),
  invalid_result_json: row(
    "SchemaMismatch",
    "use_other_tool",
    "The tool's answer is text that is not JSON.",
    anotherWay
  ),
  truncated_response: row(
    "SchemaMismatch",
    "use_other_tool",
    "The answer is complete by its transport but ends in the middle of its JSON.",
    "The tool's answer is always cut here. Ask for less, use another tool, or tell the user."
  ),
  invalid_result: row("SchemaMismatch", "use_other_tool", "The answer breaks the tool's success schema.", anotherWay),
  unexpected_content: row(
    "SchemaMismatch",
    "use_other_tool",
    "The answer is of another kind than promised, such as an HTML page.",
    anotherWay
  ),
  salvaged: row(
    "PartialData",
    "continue",
    "The answer was cut; its complete leading rows were kept.",
    "These rows are complete. Continue with `next` for the rest."
  ),
  rate_limited: row("Transient", "wait", "The upstream asks to be called more slowly (429).", "Wait, then try again."),
  timeout: row("Transient", "wait", "No answer in time.", "Try again later, or ask for less."),
  connection_failed: row(
    "Transient",
    "wait",
    "No connection could be made; nothing was sent.",
    "Try again later, or use another tool."
  ),
  connection_lost: row(
    "Transient",
    "wait",
    "The connection broke before the answer was complete.",
    "Try again later, or use another tool."
  ),
  body_cut: row("Transient", "wait", "The transport cut the answer short.", "Try again later, or use another tool."),
  unavailable: row(
    "Transient",
    "wait",
    "The upstream failed or is overloaded for now (5xx).",
    "Try again later, or use another tool."
  ),
  lock_conflict: row(
    "Transient",
    "wait",
    "Another operation holds a lock, or two transactions collided.",
    "Try again shortly."
  ),
  circuit_open: row(
    "Transient",
    "wait",
    "The tool failed so often that it is left alone for a while.",
    "Try again later, or use another tool."
  ),
  busy: row(
    "Transient",
    "wait",
    "Too many calls of this tool are running.",
    "Try again shortly, with fewer parallel calls."
  ),
  in_progress: row("Transient", "wait", "The same action is already running.", "Wait for it; do not start it again."),
  temporary_failure: row("Transient", "wait", "The error says of itself that it will pass.", "Try again later."),
  interrupted: row(
    "Transient",
    "continue",
    "The call was interrupted before its result was recorded.",
    "If it only reads, call it again. If it changes something, check first whether it was done."
  ),
  out_of_memory: row("Resource", "stop", "Memory is exhausted.", "Ask for much less, or tell the user."),
  disk_full: row("Resource", "stop", "Storage is exhausted.", "Tell the user that storage is full."),
  too_many_open: row(
    "Resource",
    "stop",
    "No more connections, files, threads or processes can be opened.",
    "Tell the user that the system is at its limit."
  ),
  context_limit: row("Resource", "stop", "A model's context or input limit is exceeded.", "Shorten what is sent."),
  quota_exceeded: row(
    "Resource",
    "stop",
    "A quota or a paid balance is used up.",
    "Stop using this tool and tell the user."
  ),
  limit_exceeded: row(
    "Resource",
    "stop",
    "A configured limit of the system is exceeded.",
    "Ask for less, or tell the user."
  ),
  run_budget_exceeded: row(
    "Resource",
    "stop",
    "The run's token, time or money budget is spent.",
    "Stop and summarise what is done."
  ),
  unauthorized: row(
    "Permanent",
    "ask_user",
    "The guard's Authorizer, or the upstream, denies access.",
    "Do not try again. Tell the user that access is denied."
  ),
  missing_software: row(
    "Permanent",
    "use_other_tool",
    "A program, module or file that the tool needs is not installed.",
    "Use another tool or tell the user what is missing."
  ),
  misconfigured: row(
    "Permanent",
    "use_other_tool",
    "The tool's configuration is missing or wrong.",
    "Use another tool or tell the user."
  ),
  not_found: row("Permanent", "use_other_tool", "Something that the arguments do not name does not exist.", anotherWay),
  wrong_state: row(
    "Permanent",
    "ask_user",
    "The state of the target forbids the operation.",
    "Change the state first, or tell the user."
  ),
  unsupported: row("Permanent", "use_other_tool", "The upstream does not support this operation.", anotherWay),
  refused: row("Permanent", "use_other_tool", "The upstream refuses the operation for good.", anotherWay),
  tool_crashed: row("Permanent", "use_other_tool", "The tool has a defect; its cause is in the logs.", anotherWay),
  tool_failed: row(
    "Permanent",
    "use_other_tool",
    "The tool failed in a way that nothing more is known of.",
    anotherWay
  ),
  response_too_large: row(
    "Permanent",
    "use_other_tool",
    "The answer is larger than the guard reads.",
    "Ask for less (a filter, a smaller page), or use another tool."
  ),
  store_unavailable: row(
    "Permanent",
    "ask_user",
    "A store of the guard itself does not answer, so the call was not made.",
    "Tell the user that the system is not ready."
  ),
  done_unreadable: row(
    "SchemaMismatch",
    "stop",
    "The action was done; its answer could not be read.",
    "The action was done; its answer could not be read. Do not call again."
  ),
  requires_human_approval: row(
    "HumanReview",
    "wait",
    "A person must approve the call before it runs.",
    "Wait for the decision; do not call again meanwhile."
  ),
  approval_denied: row(
    "HumanReview",
    "ask_user",
    "A person denied the call.",
    "Do not repeat the call. Ask the user how to go on."
  ),
  approval_expired: row("HumanReview", "ask_user", "Nobody decided in time.", "Ask the user how to go on."),
  no_person: row(
    "HumanReview",
    "stop",
    "A person must decide, and none can be reached.",
    "Stop here and report that a decision is needed."
  ),
  outcome_unknown: row(
    "HumanReview",
    "stop",
    "It is not known whether the action was done.",
    "Do not repeat it. A person must check whether it was done."
  ),
  loop_detected: row(
    "HumanReview",
    "stop",
    "The run repeats itself without progress.",
    "Stop repeating. Answer with what you have, or ask the user."
  ),
  retry_budget_exceeded: row(
    "Transient",
    "stop",
    "The attempts for this call are used up in this turn. The class is that of the last failure.",
    "Do not make this call again. Use another tool or tell the user."
  )
} as const satisfies Record<string, CodeInfo>

/** A code of the guard's own. */
export type FailureCode = keyof typeof codes

/** The row of a code, or `undefined` for a code that a tool's check gave. */
export const info = (code: string): CodeInfo | undefined =>
  Object.hasOwn(codes, code) ? codes[code as FailureCode] : undefined
