/**
 * Lists the phrases of explanations: the conditions under which calls would have passed, and the question that each
 * stage answers.
 */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import * as Pipeline from "effect-toolguard/internal/pipeline/Pipeline"
import type { Stage } from "effect-toolguard/internal/pipeline/call/Stage"

/**
 * The conditions under which calls that failed in the tool itself would have passed, by class. The guard's own codes
 * have separate phrases.
 */
export const passesByClass: { readonly [Tag in FailureTag]: string } = {
  ToolArgError: "other arguments; the guard accepted these, but the tool rejected them",
  SchemaMismatch: "an answer that matches the tool's contract",
  PartialData: "the call passed with a part of the data; a continuation returns the rest",
  SemanticGarbage: "a plausible answer; the tool returned an implausible one",
  Transient: "a later attempt; the upstream failed temporarily",
  Resource: "a higher limit of the upstream; waiting does not help",
  Permanent: "nothing in the guard; the upstream refuses the call permanently",
  HumanReview: "a person's decision"
}

/** The question that each stage answers, by its name. Rounds answer identical reads before any stage sees them. */
export const questions: ReadonlyMap<string, string> = new Map([
  ["round", "does the round contain an identical read"],
  ...[...Pipeline.stages, ...Pipeline.modelStages].map(
    ({ name, question = "" }: Pick<Stage, "name" | "question">) => [name, question] as const
  )
])
