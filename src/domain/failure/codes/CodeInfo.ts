/** The columns of the table of codes. Each is required, so that a row that lacks one does not compile. */

/** The tags of the eight failure classes. */
export type FailureTag =
  | "ToolArgError"
  | "SchemaMismatch"
  | "PartialData"
  | "SemanticGarbage"
  | "Transient"
  | "Resource"
  | "Permanent"
  | "HumanReview"

/** What the model should do next. A closed set [5.5]. */
export type NextStep = "fix_arguments" | "wait" | "continue" | "use_other_tool" | "ask_user" | "stop"

/** The value of a column if the default of the failure's class applies. */
export const ofClass = null

/** One row of the table. */
export interface CodeInfo {
  readonly tag: FailureTag
  /** One sentence for people: when a failure has this code. */
  readonly meaning: string
  /** The default instruction to the model. */
  readonly hint: string
  readonly nextStep: NextStep
  /** The HTTP status of an answer with this code. */
  readonly status: number | typeof ofClass
  /** What would have let the call pass, as a clause for people. */
  readonly passage: string | typeof ofClass
  /** What a refusal with this code saves: another round of a loop, another attempt beyond the budget. */
  readonly saving: "loop" | "budget" | "none"
}

/** The rows of one class. */
export const rows = <const Tag extends FailureTag, Code extends string>(
  tag: Tag,
  table: { readonly [Name in Code]: Omit<CodeInfo, "tag"> }
): { readonly [Name in Code]: CodeInfo & { readonly tag: Tag } } => {
  const out = {} as { [Name in Code]: CodeInfo & { readonly tag: Tag } } // complete after the loop
  for (const code of Object.keys(table) as Array<Code>) out[code] = { tag, ...table[code] }
  return out
}

/** The hint of codes that an identical call will get again. */
export const anotherWay = "The same call will fail again. Use another tool or tell the user."

/** What lets an identical call run again, as a clause for people. */
export const sameAgain = "other arguments, a successful write in between, or a new turn"
