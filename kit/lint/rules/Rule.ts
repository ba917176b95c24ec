/**
 * A rule: what it asks, why, an example that breaks it and one that does not, and its check. All of it in one value: the
 * documentation, the help and the SARIF output are made of it.
 */
import type { Field } from "#kit/lint/reading/Field"
import type { Severity } from "./Severity.ts"
import type { Fault, Found, AnalysedListing, Subject } from "#kit/lint/reading/Subject"

/** What a rule looks after. */
export type Category = "naming" | "description" | "schema" | "safety" | "paging" | "cost" | "file"

/** Numbers that a configuration may change, with their defaults. */
export type Options = Readonly<Record<string, number>>

/** Lists of tools as JSON text; the options that the example is read with, where not the defaults. */
export interface Example {
  readonly bad: string
  readonly good: string
  readonly options?: Options
}

export interface Rule {
  /** The name by which it is configured and suppressed. */
  readonly id: string
  readonly category: Category
  /** Unless configured otherwise. */
  readonly severity: Severity
  /** What it asks, in one sentence. */
  readonly title: string
  /** Why that matters, in a few sentences. */
  readonly why: string
  readonly example: Example
  /** Empty where there is nothing to set. */
  readonly options: Options
  /** Whether `--fix` can mend what it finds. */
  readonly isFixable: boolean
  readonly check: (listing: AnalysedListing, context: Context) => ReadonlyArray<Found>
}

export interface Context {
  readonly options: Options
}

type Given = Omit<Rule, "check" | "options" | "isFixable"> & Partial<Pick<Rule, "options" | "isFixable">>

const filled = (rule: Given, check: Rule["check"]): Rule => ({ options: {}, isFixable: false, ...rule, check })

/** A rule over a whole list. */
export const overListing = (rule: Given, check: Rule["check"]): Rule => filled(rule, check)

/** A rule over each tool on its own. */
export const overTool = (rule: Given, check: (subject: Subject, context: Context) => ReadonlyArray<Fault>): Rule =>
  filled(rule, ({ subjects }, context) =>
    subjects.flatMap((subject) =>
      check(subject, context).map(({ at, message }) => ({ tool: subject.tool, pointer: at, message }))
    )
  )

/** A rule over each place of a tool's parameters; a text is what is wrong with the place itself. */
export const overField = (
  rule: Given,
  check: (field: Field, subject: Subject, context: Context) => ReadonlyArray<Fault> | string | undefined
): Rule =>
  overTool(rule, (subject, context) =>
    subject.fields.flatMap((field) => {
      const found = check(field, subject, context) ?? []
      return typeof found === "string" ? [{ at: field.pointer, message: found }] : found
    })
  )
