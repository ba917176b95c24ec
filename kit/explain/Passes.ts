/** What would have let a call pass, by what the guard said of it. A table: documentation and behaviour at once. */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { FailureCode } from "effect-toolguard/internal/domain/failure/FailureCode"

const sameAgain = "other arguments, a successful write in between, or a new turn"

/** One clause for each code that the guard itself stops a call with; other failures are the tool's own. */
export const passes: { readonly [Code in FailureCode]?: string } = {
  unknown_tool: "the name of a tool that exists",
  invalid_json: "arguments that are one valid JSON object",
  truncated_arguments: "whole arguments: shorter ones, or a higher output limit of the model",
  arguments_too_large: "smaller, flatter arguments",
  invalid_arguments: 'arguments that keep the schema, or a schema that takes these (or `enforce: "advise"`)',
  unseen_id: "an id that stands in the conversation, from the user or from an earlier result",
  key_conflict: "a new idempotency key, or the arguments that the key was first used with",
  circuit_open: "the time until the circuit lets a probe through",
  busy: "a free slot: fewer calls at once, or a larger `concurrency`",
  in_progress: "the end of the same action, which is running",
  unauthorized: "an `Authorizer` that allows it",
  store_unavailable: "a store that answers",
  requires_human_approval: "the approval of a person, and the same call again",
  approval_denied: "a new turn, and a person who approves",
  approval_expired: "a person who decides in time, or a longer expiry",
  no_person: "a way to a person: a layer of `Escalation`",
  outcome_unknown: "`reconcile` on the tool, or a person who finds out whether it was done",
  done_unreadable: "nothing: it was done; a `success` schema that its answer keeps would have shown it",
  loop_detected: `another answer, ${sameAgain}; a person who lets it go on; or \`poll\` on a tool that is meant to be repeated`,
  retry_budget_exceeded: `${sameAgain}; or a larger \`budget\``,
  response_too_large: "a smaller answer: a narrower request, or pages",
  run_budget_exceeded: "a larger limit of the run",
  invalid_result: "an answer that keeps `success`, or a `success` that takes this one",
  invalid_result_json: "an answer that is JSON",
  truncated_response: "a whole answer, or `salvage` on the tool"
}

/** The same for what failed in the tool itself, by class. */
export const passesByClass: { readonly [Tag in FailureTag]: string } = {
  ToolArgError: "other arguments; the guard let these through, and the tool refused them",
  SchemaMismatch: "an answer that keeps the tool's contract",
  PartialData: "it did, in part: the rest is got by going on",
  SemanticGarbage: "an answer that makes sense; the tool gave one that does not",
  Transient: "a later attempt: the upstream failed for now",
  Resource: "room: a limit of the upstream that waiting does not lift",
  Permanent: "nothing that the guard decides: the upstream refuses this for good",
  HumanReview: "a person who decides"
}

/** What lets an identical call be made again, after its failure was recalled. */
export const afterRecall = sameAgain

/** What each stage is asked, in one clause. */
export const questions: Readonly<Record<string, string>> = {
  round: "does the round hold an equal read",
  locate: "is there a tool of this name",
  parse: "can the arguments be read",
  authorize: "may this caller use the tool",
  decodeArguments: "do the arguments keep the tool's schema",
  authorizeArguments: "may this caller use it with these arguments",
  provenance: "have the ids been seen in the conversation",
  fallback: "can another tool answer instead",
  loop: "does the conversation go round in circles",
  recall: "has the identical call failed before in this turn",
  idempotency: "was the action done before under this key",
  approve: "does a person agree",
  claim: "is the action free to be begun",
  retry: "is another attempt worth it",
  budget: "are attempts left for this call in this turn",
  quota: "does the tool's share of retries allow one more",
  circuit: "is the tool to be left alone for now",
  parseResult: "is the answer JSON",
  check: "does the answer mean what it should",
  classify: "what kind of failure is it",
  reconcile: "was it done after all",
  escalate: "must a person hear of it"
}
