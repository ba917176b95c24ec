/** What a tool's own description says of one parameter: the line `name: …` that documentation comments have. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import type { Field } from "./Field.ts"
import type { Subject } from "./Subject.ts"

const longestName = 100

/** The line on a parameter in the tool's description; empty where there is none. */
const lineOn = (name: string, description: string): string => {
  if (name === "" || name.length > longestName || !description.includes(name)) return ""
  // the name begins a line, or follows `Args:` or a dash, and is followed by what it is
  const line = new RegExp(
    String.raw`(?:^|\n|:|;|[-*•])[ \t]{0,40}(?:@?(?:param|arg|argument|parameter)[ \t]{1,4})?["'\x60*]*${escapeRegExp(name)}["'\x60*]*[ \t]{0,8}(?:\([^)\n]{0,60}\))?[ \t]{0,8}(?::|–|—|-[ \t]|=)[ \t]*([^\n]*(?:\n[ \t]{8,60}[^\n:]*)?)`,
    "iu"
  )
  return line.exec(description.slice(0, 20_000))?.[1]?.trim() ?? ""
}

/** What is said of a place: in its schema, else in the description of its tool. */
export const toldOf = (field: Field, { tool }: Subject): string =>
  field.description === "" && field.role === "property" ? lineOn(field.name, tool.description) : field.description

/** Whether the tool's description speaks of the parameter by its name: in quotation marks, or called a parameter. */
export const isMentioned = ({ name }: Field, { tool }: Subject): boolean =>
  name.length <= longestName &&
  new RegExp(
    String.raw`["'\x60]${escapeRegExp(name)}["'\x60]|\b${escapeRegExp(name)}\s+(?:parameter|argument|option|field|flag)\b|\b(?:parameter|argument|option|field|flag)\s+${escapeRegExp(name)}\b`,
    "u"
  ).test(tool.description.slice(0, 20_000))
