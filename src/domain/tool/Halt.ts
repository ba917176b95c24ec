/** Halts of tools: an operator stops all calls of a tool, and resumes them later. */

/** The maximum length of an operator's reason, in characters. */
export const longestReason = 200

/** The maximum length of an operator's name, in characters. */
export const longestName = 100

/** An operator's order to halt or resume a tool. */
export interface HaltOrder {
  /** The id or the name of the tool. */
  readonly tool: string
  /** Who gives the order. The model reads the name. */
  readonly by: string
  /** Why. The model reads the reason of a halt. May be empty. */
  readonly reason: string
}

/** One entry of the log of halts. */
export interface HaltEntry extends HaltOrder {
  readonly action: "halted" | "resumed"
  /** In epoch milliseconds. */
  readonly at: number
}

/** The halt of a tool that is in force, by the tool's id or its name. */
export const inForce = (
  halts: ReadonlyMap<string, HaltEntry>,
  { id, name }: { readonly id: string; readonly name: string }
): HaltEntry | undefined => halts.get(id) ?? halts.get(name)
