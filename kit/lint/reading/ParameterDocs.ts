/** Finds the documentation of a parameter: its description, or the line `name: …` in the description of its tool. */
import { halfWidth } from "#kit/text/HalfWidth"
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import type { Field } from "./Field.ts"
import type { Subject } from "./Subject.ts"

const maxNameLength = 100

/** Returns the line about a parameter in the tool's description. Returns `""` if the description has no such line. */
const lineOn = (name: string, description: string): string => {
  if (name === "" || name.length > maxNameLength || !description.includes(name)) return ""
  // the name starts a line, or follows `Args:` or a dash; then a colon, a dash or `=` follows
  const line = new RegExp(
    String.raw`(?:^|\n|[:;]|[-*•])[ \t]{0,40}(?:@?(?:param|arg|argument|parameter)[ \t]{1,4})?["'\x60*]*${escapeRegExp(name)}["'\x60*]*[ \t]{0,8}(?:\([^)\n]{0,60}\))?[ \t]{0,8}(?::|–|—|-[ \t]|=)[ \t]*([^\n]*(?:\n[ \t]{8,60}[^\n:]*)?)`,
    "iu"
  )
  return line.exec(halfWidth(description.slice(0, 20_000)))?.[1]?.trim() ?? ""
}

/** Returns the documentation of a place, from its schema, otherwise from the description of its tool. */
export const docsOf = (field: Field, { tool }: Subject): string =>
  field.description === "" && field.role === "property" ? lineOn(field.name, tool.description) : field.description

/**
 * True if the tool's description mentions the parameter: its name in quotation marks, or next to a word like
 * `parameter`.
 */
export const isMentioned = ({ name }: Field, { tool }: Subject): boolean =>
  name.length <= maxNameLength &&
  tool.description.includes(name) &&
  new RegExp(
    String.raw`["'\x60]${escapeRegExp(name)}["'\x60]|\b${escapeRegExp(name)}\s+(?:parameter|argument|option|field|flag)\b|\b(?:parameter|argument|option|field|flag)\s+${escapeRegExp(name)}\b`,
    "u"
  ).test(tool.description.slice(0, 20_000))
