/**
 * Lists the fifteen steps of a review of tool definitions, with the rules that check each step. The preset `strict` makes
 * each of these rules an error.
 */
import type { StepNumber } from "#kit/lint/rules/Rule"
import { rules } from "#kit/lint/Rules"

/** The requirement of a reviewer in each step, in one sentence. */
const titles: Readonly<Record<StepNumber, string>> = {
  1: "The name is snake_case, begins with a verb, has one meaning, and resembles no other name.",
  2: "The description states whether the tool reads or writes.",
  3: "The description states when to use the tool, and when not.",
  4: "Tools and parameters have informative descriptions of a sensible length.",
  5: "Each string has a minimum and a maximum length.",
  6: "Values that a description lists are in `enum`.",
  7: "Objects are closed and declare what is required.",
  8: "Numbers and arrays are bounded.",
  9: "Each tool that writes accepts an `idempotency_key` of at least 16 characters.",
  10: "Each destructive or bulk tool has an `environment` with staging and production.",
  11: "Paging uses `cursor` and `next_cursor`, and no other spelling.",
  12: "No parameter is free-form or deeply nested.",
  13: "No parameter is executed as code, SQL or shell.",
  14: "The schemas are valid in draft-07 or 2020-12, the list is readable, and its cost is limited.",
  15: "Skills and prompts advise the model to plan before it calls a tool that writes."
}

/** One step of a review. */
interface Step {
  readonly title: string
  /** The ids of the rules that check the step. Empty if the step is about texts that describe tools, not about tools. */
  readonly rules: ReadonlyArray<string>
}

/** The steps, in the order of a review. */
export const steps: ReadonlyArray<Step> = Object.entries(titles).map(([number, title]) => ({
  title,
  rules: rules.filter(({ step }) => step === Number(number)).map(({ id }) => id)
}))

/** Returns the number of a rule's step, counted from 1. */
export const stepOf = (rule: string): number => rules.find(({ id }) => id === rule)?.step ?? 0
