/** What the report's terms mean, in words for people, each with what to do about it. */
import type { Saving } from "effect-toolguard/internal/domain/call/CallTally"
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Suggestion } from "#kit/report/Report"

/** A term as a person reads it. */
export interface Term {
  readonly name: string
  readonly meaning: string
}

/** The eight classes, in the order in which charts show them. */
export const classes: { readonly [Tag in FailureTag]: Term & { readonly remedy: string } } = {
  ToolArgError: {
    name: "Wrong arguments",
    meaning: "The model's call was wrong: a field, a name, an id.",
    remedy:
      "The guard tells the model which field and what is allowed. Where one field fails often, reword its description."
  },
  SchemaMismatch: {
    name: "Broken answer",
    meaning: "The tool answered, and not by its contract.",
    remedy: "Repair the tool, or declare what it really returns. The same call never helps."
  },
  PartialData: {
    name: "Part of an answer",
    meaning: "What came is right, and not all of it.",
    remedy: "Give the tool pages, or tell the model how to ask for less."
  },
  SemanticGarbage: {
    name: "Wrong in meaning",
    meaning: "Valid and complete, and it cannot be true.",
    remedy: "Repair the tool's source; a check of yours tells the model until then."
  },
  Transient: {
    name: "Passing fault",
    meaning: "A timeout, a lost connection, a busy server.",
    remedy: "The guard tries reads again by itself. Where there are many, look at the service."
  },
  Resource: {
    name: "Out of room",
    meaning: "Memory, disk, tokens or a quota are used up.",
    remedy: "Raise the limit, or make the work smaller. Trying again does not help."
  },
  Permanent: {
    name: "Not possible",
    meaning: "Denied, missing, or in a state that forbids it.",
    remedy: "Grant it, configure it, or write the rule into the tool's description."
  },
  HumanReview: {
    name: "Needs a person",
    meaning: "A person has to decide, has denied it, or nobody knows what happened.",
    remedy: "Say who decides, and how they are reached."
  }
}

/** Why a call is not made again, in the order in which charts show it. */
export const savings: { readonly [Reason in Saving]: Term } = {
  loop: { name: "Loop", meaning: "The calls went round in a circle and brought nothing new." },
  recall: { name: "Known failure", meaning: "The identical call had failed before in the same turn." },
  unchanged: { name: "Known result", meaning: "It had given the same result as often as its budget allows." },
  replay: { name: "Already done", meaning: "The action was done before, under the same key." },
  budget: { name: "Attempts spent", meaning: "It had failed as often as its budget allows." }
}

/** How calls go round in circles. */
export const patterns: { readonly [Pattern in LoopPattern]: string } = {
  identical: "same call, same answer",
  cycle: "a circle of calls",
  same_failure: "same failure, other arguments",
  no_progress: "nothing new"
}

/** What a schema should do about a field, and how that is written. */
export const suggestion = (given: Suggestion): Term => {
  switch (given._tag) {
    case "keep":
      return { name: "Keep", meaning: "A real fault: the tool did not take most of these calls either." }
    case "nullable":
      return { name: "Allow null", meaning: "Schema.NullOr(…)" }
    case "optional":
      return { name: "Make it optional", meaning: "Schema.optionalKey(…)" }
    case "open object":
      return { name: "Allow further fields", meaning: "Declare the field, or leave the object open." }
    case "wider enum":
      return { name: "Allow more values", meaning: given.values.join(", ") }
    case "wider type":
      return { name: `Allow ${given.type} too`, meaning: "Schema.Union([…])" }
    case "wider bound":
      return { name: "Widen the bound", meaning: given.expected }
  }
}

/** How a verdict on a call looks: the colour of its badge. */
export const lookOf = (verdict: string): "good" | "warn" | "bad" | "spared" | "plain" => {
  switch (verdict) {
    case "ran":
      return "good"
    case "ran, in part":
      return "warn"
    case "failed":
    case "refused":
      return "bad"
    case "stopped":
    case "answered from memory":
      return "spared"
    default:
      return "plain"
  }
}
