/** The columns of the table of codes. All columns are required, so that an incomplete row does not compile. */

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

/** Marks a column that has the default of the failure's class. */
export const ofClass = null

/** One row of the table. */
export interface CodeInfo {
  readonly tag: FailureTag
  /** The meaning of the code, as one sentence for people. */
  readonly meaning: string
  /** The default instruction to the model. */
  readonly hint: string
  readonly nextStep: NextStep
  /** The HTTP status of a response that reports this code. */
  readonly status: number | typeof ofClass
  /** The condition under which the call would have passed, as a clause for people. */
  readonly passCondition: string | typeof ofClass
  /** The call that a refusal with this code saves: a further call of a loop, or an attempt beyond the budget. */
  readonly saving: "loop" | "budget" | "none"
}

/** Adds the tag of a class to its rows. */
export const rows = <const Tag extends FailureTag, Code extends string>(
  tag: Tag,
  table: { readonly [Name in Code]: Omit<CodeInfo, "tag"> }
): { readonly [Name in Code]: CodeInfo & { readonly tag: Tag } } => {
  const out = {} as { [Name in Code]: CodeInfo & { readonly tag: Tag } } // complete after the loop
  for (const code of Object.keys(table) as Array<Code>) out[code] = { tag, ...table[code] }
  return out
}

/** The hint of codes after which an identical call will fail again. */
export const otherToolHint = "The same call will fail again. Use another tool or tell the user."

/** The hint after a failure whose cause is not recognised. It does not say whether the same call would fail again. */
export const unknownCauseHint =
  "The cause is not recognised. Correct the arguments if the message names them; otherwise use another tool or tell the user."

/** The conditions under which an identical call runs again, as a clause for people. */
export const repeatConditions = "other arguments, a successful write in between, or a new turn"
