/**
 * Lists the fifteen steps of a review of tool definitions, with the rules that check each step. The preset `strict` makes
 * each of these rules an error.
 */

/** One step of a review. */
interface Step {
  /** The requirement of a reviewer, in one sentence. */
  readonly title: string
  /** The ids of the rules that check the step. Empty if the step is about texts that describe tools, not about tools. */
  readonly rules: ReadonlyArray<string>
}

/** The steps, in the order of a review. */
export const steps: ReadonlyArray<Step> = [
  {
    title: "The name is snake_case, begins with a verb, has one meaning, and resembles no other name.",
    rules: [
      "name-invalid",
      "name-collision",
      "name-snake-case",
      "name-verb-first",
      "name-single-meaning",
      "name-near-duplicate"
    ]
  },
  { title: "The description states whether the tool reads or writes.", rules: ["description-access"] },
  { title: "The description states when to use the tool, and when not.", rules: ["description-when"] },
  {
    title: "Tools and parameters have informative descriptions of a sensible length.",
    rules: [
      "description-missing",
      "description-length",
      "description-repeats-name",
      "description-duplicate",
      "parameter-description"
    ]
  },
  { title: "Each string has a minimum and a maximum length.", rules: ["string-bounds"] },
  { title: "Values that a description lists are in `enum`.", rules: ["enum-in-description"] },
  {
    title: "Objects are closed and declare what is required.",
    rules: ["additional-properties", "required-missing", "required-unknown", "required-contradicted"]
  },
  { title: "Numbers and arrays are bounded.", rules: ["number-bounds", "array-bounds", "array-items"] },
  {
    title: "Each tool that writes accepts an `idempotency_key` of at least 16 characters.",
    rules: ["idempotency-key", "idempotency-key-shape", "idempotency-key-advice"]
  },
  {
    title: "Each destructive or bulk tool has an `environment` with staging and production.",
    rules: ["target-environment"]
  },
  {
    title: "Paging uses `cursor` and `next_cursor`, and no other spelling.",
    rules: ["pagination-cursor", "pagination-spelling"]
  },
  { title: "No parameter is free-form or deeply nested.", rules: ["free-form", "nesting-depth"] },
  { title: "No parameter is executed as code, SQL or shell.", rules: ["executed-code"] },
  {
    title: "The schemas are valid in draft-07 or 2020-12, the list is readable, and its cost is limited.",
    rules: [
      "schema-valid",
      "schema-dialect",
      "schema-reference",
      "schema-root",
      "schema-contradiction",
      "pattern-unenforced",
      "default-invalid",
      "keyword-unknown",
      "tool-unreadable",
      "duplicate-key",
      "suppression-reason",
      "suppression-unused",
      "token-cost",
      "token-cost-list"
    ]
  },
  { title: "Skills and prompts advise the model to plan before it calls a tool that writes.", rules: [] }
]

/** Returns the number of a rule's step, counted from 1. */
export const stepOf = (rule: string): number => steps.findIndex(({ rules }) => rules.includes(rule)) + 1
