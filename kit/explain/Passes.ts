/** What would have let a call pass, by what the guard said of it. A table: documentation and behaviour at once. */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"

/** What would have let a call pass that failed in the tool itself, by class. The codes of the guard name their own passage. */
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
