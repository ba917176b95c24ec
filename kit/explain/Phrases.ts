/** The phrases of explanations: what would have let a call pass, and the question that each stage answers. */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"

/** What would have let a call pass that failed in the tool itself, by class. The guard's own codes have their own phrases. */
export const passesByClass: { readonly [Tag in FailureTag]: string } = {
  ToolArgError: "other arguments; the guard accepted these, but the tool rejected them",
  SchemaMismatch: "an answer that matches the tool's contract",
  PartialData: "it did, in part; a continuation returns the rest",
  SemanticGarbage: "a plausible answer; the tool returned an implausible one",
  Transient: "a later attempt; the upstream failed temporarily",
  Resource: "a higher limit of the upstream; waiting does not help",
  Permanent: "nothing in the guard; the upstream refuses this permanently",
  HumanReview: "a person's decision"
}

/** The question that each stage answers, without its question mark. */
export const questions: Readonly<Record<string, string>> = {
  round: "does the round hold an identical read",
  locate: "is there a tool of this name",
  parse: "can the arguments be parsed",
  authorize: "may this caller use the tool",
  decodeArguments: "do the arguments match the tool's schema",
  authorizeArguments: "may this caller use it with these arguments",
  provenance: "have the ids occurred in the conversation",
  fallback: "can another tool answer instead",
  loop: "do the calls repeat without progress",
  recall: "has an identical call failed before in this turn",
  idempotency: "was the action already done under this key",
  approve: "does a person approve",
  claim: "may the action start",
  retry: "is another attempt worthwhile",
  budget: "does this call have attempts left in this turn",
  quota: "does the quota allow another retry",
  circuit: "is the circuit of the tool open",
  parseResult: "is the answer JSON",
  check: "is the result plausible",
  classify: "what kind of failure is it",
  reconcile: "was the action done after all",
  escalate: "must a person be informed"
}
