/** Explains the terms of the report, with recommendations. */
import type { FailureTag } from "effect-toolguard/internal/domain/failure/Failure"
import type { LoopPattern } from "effect-toolguard/internal/domain/loop/LoopDetector"
import type { Suggestion } from "effect-toolguard/internal/domain/faults/Suggestion"

/** A term and its meaning, as shown on the page. */
interface Term {
  readonly name: string
  readonly meaning: string
}

/** The eight classes, in the order of the charts. */
export const classes: { readonly [Tag in FailureTag]: Term & { readonly remedy: string } } = {
  ToolArgError: {
    name: "Wrong arguments",
    meaning: "The model's call was wrong: a field, a name or an id.",
    remedy:
      "The guard tells the model which field is wrong and what is allowed. If one field fails often, reword its description."
  },
  SchemaMismatch: {
    name: "Contract violation",
    meaning: "The tool's answer does not match its contract.",
    remedy: "Fix the tool, or declare what it really returns. Repeating the call never helps."
  },
  PartialData: {
    name: "Partial answer",
    meaning: "The result is correct but incomplete.",
    remedy: "Add pagination to the tool, or tell the model how to ask for less."
  },
  SemanticGarbage: {
    name: "Implausible answer",
    meaning: "The result is valid and complete, but it cannot be true.",
    remedy: "Fix the tool's data source; until then, add a check that tells the model."
  },
  Transient: {
    name: "Transient fault",
    meaning: "A timeout, a lost connection or a busy server.",
    remedy: "The guard retries reads automatically. If there are many of these failures, check the service."
  },
  Resource: {
    name: "Resource exhausted",
    meaning: "Memory, disk space, tokens or a quota are used up.",
    remedy: "Raise the limit, or reduce the work. Retrying does not help."
  },
  Permanent: {
    name: "Permanent failure",
    meaning: "Denied, missing, or not allowed in the current state.",
    remedy: "Grant access, fix the configuration, or state the rule in the tool's description."
  },
  HumanReview: {
    name: "Needs a person",
    meaning: "A person must decide, a person denied it, or the outcome is unknown.",
    remedy: "Configure who decides, and how to reach them."
  }
}

/** The names of the patterns of loops. */
export const patterns: { readonly [Pattern in LoopPattern]: string } = {
  identical: "same call, same answer",
  cycle: "a cycle of calls",
  same_failure: "same failure, different arguments",
  no_progress: "no progress"
}

/** Returns the name of a suggested change to a schema, and how to write the change. */
export const suggestion = (suggested: Suggestion): Term => {
  switch (suggested._tag) {
    case "keep":
      return { name: "Keep", meaning: "A real fault." }
    case "by hand":
      return { name: "Change by hand", meaning: "No change of one place accepts only these values." }
    case "nullable":
      return { name: "Allow null", meaning: "Schema.NullOr(…)" }
    case "optional":
      return { name: "Make it optional", meaning: "Schema.optionalKey(…)" }
    case "open object":
      return { name: "Allow additional fields", meaning: "Declare the field, or allow additional properties." }
    case "wider enum":
      return { name: "Allow more values", meaning: suggested.values.join(", ") }
    case "wider type":
      return { name: `Also allow ${suggested.type}`, meaning: "Schema.Union([…])" }
    case "wider bound":
      return { name: "Relax the bound", meaning: suggested.expected }
  }
}

/** Returns the colour of a status's badge. */
export const lookOf = (status: string): "good" | "warn" | "bad" | "saved" | "plain" => {
  switch (status) {
    case "ran":
      return "good"
    case "ran, in part":
    case "refused by the tool":
      return "warn"
    case "failed":
    case "refused":
      return "bad"
    case "stopped":
    case "answered from memory":
      return "saved"
    default:
      return "plain"
  }
}
