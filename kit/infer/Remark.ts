/**
 * Writes the comment of a field, which states the evidence for its guesses: `seen 41 of 41; enum from 3 values in 41`.
 */
import { quoted } from "./Layout.ts"
import { isWord } from "./FieldNames.ts"
import type { Kind, Property, Shape } from "./Shape.ts"

/** The maximum number of values that a comment lists. */
const maxListed = 5
/** The maximum number of characters to show of each listed value. */
const longestListed = 40

const listed = (texts: ReadonlyArray<string>): string =>
  texts.map((text) => quoted(text.length > longestListed ? `${text.slice(0, longestListed)}…` : text)).join(", ")

const values = (count: number): string => (count === 1 ? "1 value" : `${count} values`)

const textRemark = ({
  different,
  format,
  isChoice,
  values: found
}: Extract<Kind, { readonly _tag: "Text" }>): string => {
  const entities = found.reduce((sum, [, count]) => sum + count, 0)
  if (format !== undefined) return `${format.name === undefined ? "pattern" : "format"} of ${values(different)}`
  if (isChoice)
    return found.length === 1 ? "discriminates the union" : `enum from ${values(found.length)} in ${entities}`
  if (different === 1) return `always ${listed(found.map(([text]) => text))}`
  const few = found.length <= maxListed && different * 2 <= entities && found.every(([text]) => isWord(text))
  return few ? `no enum yet: ${values(different)} in ${entities}: ${listed(found.map(([text]) => text))}` : ""
}

/** Describes the evidence for the kind of a shape. Returns `""` if nothing was guessed. */
export const kindRemark = ({ kind, nulls, seen }: Shape): string => {
  switch (kind._tag) {
    case "Unseen":
      return nulls === seen ? "always null" : "too few values to tell"
    case "Number":
      if (kind.isInteger) return `whole in ${values(kind.different)}`
      return kind.isWhole ? `whole so far, in ${values(kind.different)}` : ""
    case "Text":
      return textRemark(kind)
    case "List": {
      if (kind.empty === seen - nulls) return "always empty"
      const items = kindRemark(kind.items)
      return [...(kind.empty > 0 ? [`empty in ${kind.empty}`] : []), ...(items === "" ? [] : [`items: ${items}`])].join(
        "; "
      )
    }
    case "Entries":
      return kind.names === 0 ? "objects without common fields" : `a record: ${kind.names} different names`
    case "Empty":
      return "always empty"
    case "Held":
      return `text that contains ${kind.notation === "json" ? "JSON" : "a Python repr, or JSON"}`
    case "Either": {
      const embedded = kind.members.find(({ kind }) => kind._tag === "Held")
      return embedded === undefined ? "" : `${kindRemark(embedded)} in ${embedded.seen} of ${seen}`
    }
    default:
      return ""
  }
}

/** Returns the complete comment of a field. */
export const remark = ({ of, shape }: Property): string => {
  const { isNullable, nulls, seen } = shape
  const missing = nulls > 0 ? `null in ${nulls}` : isNullable ? "nullable because of its name" : ""
  const about = nulls > 0 && nulls === seen ? "" : kindRemark(shape)
  return [`seen ${seen} of ${of}`, missing, about].filter((part) => part !== "").join("; ")
}
