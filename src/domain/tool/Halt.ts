/** The halts of tools. An operator halts all calls of a tool, and resumes the tool later. */

import { cut } from "#domain/text/Cut"

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

/**
 * Returns the order with texts of at most their maximum lengths. Throws a RangeError if a text is missing, because the
 * model reads who halted the tool and why.
 */
export const orderOf = ({ by, reason, tool }: HaltOrder): HaltOrder => {
  if (typeof tool !== "string" || tool.trim() === "") throw refused("tool", "the id or name of a tool")
  if (typeof by !== "string" || by.trim() === "") throw refused("by", "the name of the operator")
  if (typeof reason !== "string") throw refused("reason", "a string, which may be empty")
  return { tool, by: cut(by, longestName), reason: cut(reason, longestReason) }
}

const refused = (field: keyof HaltOrder, meaning: string): RangeError =>
  new RangeError(`An order to halt or resume a tool is not valid: \`${field}\` must be ${meaning}.`)

/** One entry of the log of halts. */
export interface HaltEntry extends HaltOrder {
  readonly action: "halted" | "resumed"
  /** The time of the order, in epoch milliseconds. */
  readonly at: number
}

/** Returns the halt in force for a tool; undefined if the tool is not halted. A halt names the tool's id or name. */
export const inForce = (
  halts: ReadonlyMap<string, HaltEntry>,
  { id, name }: { readonly id: string; readonly name: string }
): HaltEntry | undefined => halts.get(id) ?? halts.get(name)
