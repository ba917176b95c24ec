/** The halts of tools. An operator halts all calls of a tool, and resumes the tool later. */

/** The maximum length of an operator's reason, in characters. */
export const longestReason = 200

/** The maximum length of an operator's name, in characters. */
export const longestName = 100

/** An operator's order to halt or resume a tool. */
export interface HaltOrder {
  /** The id or the name of the tool. */
  readonly tool: string
  /** The name of the operator. The model reads the name. */
  readonly by: string
  /** The reason, which may be empty. The model reads the reason of a halt. */
  readonly reason: string
}

/** One entry of the log of halts. */
export interface HaltEntry extends HaltOrder {
  readonly action: "halted" | "resumed"
  /** The time of the order, in epoch milliseconds. */
  readonly at: number
}

/** Returns the halt of a tool that is in force, if there is one. A halt names the tool's id or its name. */
export const inForce = (
  halts: ReadonlyMap<string, HaltEntry>,
  { id, name }: { readonly id: string; readonly name: string }
): HaltEntry | undefined => halts.get(id) ?? halts.get(name)
