/** Reports allowed values that are listed only in a description. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { valuesListed } from "#kit/lint/lists/ListedValues"
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import { docsOf } from "#kit/lint/reading/ParameterDocs"

export const enumInDescription = overField(
  {
    id: "enum-in-description",
    category: "schema",
    step: 6,
    severity: "warning",
    title: "Values that a description lists are in `enum`.",
    why: "In prose, a list is only a hint. The model sends `descending` instead of `desc`, and learns of the mistake from the tool's error, if at all. An `enum` is checked before the call, and the error names the nearest value. Examples (`such as …`) do not count as a list. For a text that combines values (`comma-separated list of …`), an array is better. Descriptions are read in English, Chinese, German, Spanish, French, Portuguese, Italian, Russian, Japanese and Korean; lists in other languages are not found.",
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": { "sort": { "type": "string", "description": "One of: asc, desc." } }
  }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": {
    "type": "object",
    "properties": { "sort": { "type": "string", "description": "By age.", "enum": ["asc", "desc"] } }
  }
}`
    }
  },
  (field, subject) => {
    const texts = field.shapes.filter(({ type }) => type === "string")
    if (field.role !== "property" || texts.length === 0) return []
    if (texts.some(({ schema }) => ["enum", "const", "pattern", "format"].some((keyword) => keyword in schema)))
      return []
    const { isCombined, values } = valuesListed(docsOf(field, subject), field.name)
    if (values.length === 0) return []
    const some = values
      .slice(0, 4)
      .map((value) => cut(shown(value), 24))
      .join(", ")
    const more = values.length > 4 ? " …" : ""
    return [
      {
        at: texts[0]!.pointer, // not empty, as checked above
        message: isCombined
          ? `The description of \`${field.path}\` lists the values that it combines (${some}${more}); accept an array, with these values in the enum of its items.`
          : `The description of \`${field.path}\` lists its values (${some}${more}); move them to enum.`
      } satisfies Fault
    ]
  }
)
