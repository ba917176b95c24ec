/**
 * A rule: what it asks, why, an example that breaks it and one that does not, and its check. All of it in one value: the
 * documentation, the help and the SARIF output are made of it.
 */
import type { Access } from "#domain/Access"
import type { Field } from "./Field.ts"
import type { Pointer } from "./Json.ts"
import type { ListedTool, Unreadable } from "./ListedTool.ts"
import type { Severity } from "./Severity.ts"

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
  readonly check: (listing: ReadListing, context: Context) => ReadonlyArray<Found>
}

/** A tool with what all rules ask of it, worked out once. */
export interface Subject {
  readonly tool: ListedTool
  /** Places of the parameters, outermost first; none where they are no schema. */
  readonly fields: ReadonlyArray<Field>
  /** The words of its name. */
  readonly words: ReadonlyArray<string>
  /** The first word of its name after a prefix that tools of the list share; empty where its name has no words. */
  readonly firstWord: string
  /** What it does to the world: as the list says, else as its name and its description both say. */
  readonly access: Access | undefined
  /** Tokens that its definition costs in each request. */
  readonly tokens: number
}

/** A list as rules read it. */
export interface ReadListing {
  readonly subjects: ReadonlyArray<Subject>
  readonly unreadable: ReadonlyArray<Unreadable>
  /** Names that stand twice in one object of the text; the last counts. */
  readonly duplicates: ReadonlyArray<Pointer>
}

export interface Context {
  readonly options: Options
}

/** What a rule finds. */
export interface Found {
  readonly tool: ListedTool | undefined
  readonly pointer: Pointer
  /** What is wrong and what to write instead, in one line. */
  readonly message: string
}

type Given = Omit<Rule, "check" | "options" | "isFixable"> & Partial<Pick<Rule, "options" | "isFixable">>

const filled = (rule: Given, check: Rule["check"]): Rule => ({ options: {}, isFixable: false, ...rule, check })

/** What is wrong with a tool, and where. */
export interface Fault {
  readonly at: Pointer
  readonly message: string
}

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
