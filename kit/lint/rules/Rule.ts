/**
 * Defines a rule as one value, with its requirement, the reason, a bad and a good example, and its check. The
 * documentation, the help and the SARIF output are derived from the rule.
 */
import type { Field } from "#kit/lint/reading/Field"
import type { Severity } from "./Severity.ts"
import type { Fault, FoundProblem, AnalysedListing, Subject } from "#kit/lint/reading/Subject"

/** The aspect of a tool or list that a rule checks. */
export type Category = "naming" | "description" | "schema" | "safety" | "paging" | "cost" | "file"

/** The number of the step of a review that a rule checks. `kit/lint/Steps.ts` lists the steps. */
export type StepNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15

/** Numbers that a configuration may change, with their defaults. */
export type Options = Readonly<Record<string, number>>

/** Lists of tools as JSON text. `options` are the options of the example, if they differ from the defaults. */
interface Example {
  readonly bad: string
  readonly good: string
  readonly options?: Options
}

/** The additional check of a rule in the preset `strict`, with example lists. */
interface Strict {
  /** The additional requirement, in one sentence. */
  readonly title: string
  /** A list that the rule reports only in the preset `strict`. */
  readonly bad: string
  readonly good: string
}

/** A lint rule. */
export interface Rule {
  /** The name of the rule in configurations and suppressions. */
  readonly id: string
  readonly category: Category
  readonly step: StepNumber
  /** The severity in the preset `default`. In the preset `strict`, each rule is an error. */
  readonly severity: Severity
  /** The requirement, in one sentence. */
  readonly title: string
  /** The reason, in a few sentences. */
  readonly why: string
  readonly example: Example
  /** Absent if the rule checks the same in both presets. */
  readonly strict?: Strict
  /** The options with their defaults. Empty if the rule has no options. */
  readonly options: Options
  /** True if `--fix` can correct findings of the rule. */
  readonly isFixable: boolean
  readonly check: (listing: AnalysedListing, context: Context) => ReadonlyArray<FoundProblem>
}

/** The configuration of a rule. */
interface Context {
  readonly options: Options
  /** True in the preset `strict`. */
  readonly isStrict: boolean
}

/** A rule without its check, in which `options` and `isFixable` may be absent. */
type Description = Omit<Rule, "check" | "options" | "isFixable"> & Partial<Pick<Rule, "options" | "isFixable">>

const withDefaults = (rule: Description, check: Rule["check"]): Rule => ({
  options: {},
  isFixable: false,
  ...rule,
  check
})

/** Creates a rule that checks a whole list. */
export const overListing = (rule: Description, check: Rule["check"]): Rule => withDefaults(rule, check)

/** Creates a rule that checks each tool separately. */
export const overTool = (
  rule: Description,
  check: (subject: Subject, context: Context) => ReadonlyArray<Fault>
): Rule =>
  withDefaults(rule, ({ subjects }, context) =>
    subjects.flatMap((subject) =>
      check(subject, context).map(({ at, message }) => ({ tool: subject.tool, pointer: at, message }))
    )
  )

/**
 * Creates a rule that checks each place of a tool's parameters. A returned string is the message of a fault at that
 * place.
 */
export const overField = (
  rule: Description,
  check: (field: Field, subject: Subject, context: Context) => ReadonlyArray<Fault> | string | undefined
): Rule =>
  overTool(rule, (subject, context) =>
    subject.fields.flatMap((field) => {
      const found = check(field, subject, context) ?? []
      return typeof found === "string" ? [{ at: field.pointer, message: found }] : found
    })
  )
