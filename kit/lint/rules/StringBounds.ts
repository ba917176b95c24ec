/** Reports a string without bounds. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

const bounding = ["maxLength", "pattern", "enum", "const", "format", "contentEncoding", "contentMediaType"]

/** Formats whose values have a limited length. */
const fixedFormats = new Set(["date", "time", "date-time", "duration", "uuid", "ipv4", "ipv6"])

export const stringBounds = overField(
  {
    id: "string-bounds",
    category: "schema",
    step: 5,
    severity: "info",
    title: "Each string has a maximum length, a pattern, a format or an `enum`.",
    why: "A bound prevents unintended content: a whole file in a title, a sentence in an id, a prompt in a name. It also tells the model how much to write.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string", "pattern": "^O-[0-9]{1,9}$" } } }
}`
    },
    strict: {
      title:
        "Each string has `minLength` and `maxLength`, unless it has an `enum`, a `const`, or a format of limited length (a date, a time, `uuid`, `ipv4`, `ipv6`).",
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string", "pattern": "^O-[0-9]+$", "maxLength": 12 } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": {
    "type": "object",
    "properties": {
      "id": { "type": "string", "pattern": "^O-[0-9]+$", "minLength": 3, "maxLength": 12 },
      "day": { "type": "string", "format": "date" }
    }
  }
}`
    }
  },
  ({ path, shapes }, _, { isStrict }) =>
    shapes.flatMap(({ pointer, schema, type }): ReadonlyArray<Fault> => {
      if (type !== "string") return []
      if (!isStrict) {
        const message = `\`${path}\` accepts a string of any length and content; add maxLength, a pattern, a format or an enum.`
        return bounding.some((keyword) => Object.hasOwn(schema, keyword)) ? [] : [{ at: pointer, message }]
      }
      const isFixed = "enum" in schema || "const" in schema || fixedFormats.has(String(schema["format"]))
      const missing = isFixed ? [] : ["minLength", "maxLength"].filter((keyword) => !(keyword in schema))
      return missing.length === 0
        ? []
        : [{ at: pointer, message: `\`${path}\` has no ${missing.join(" and no ")}; bound its length.` }]
    })
)
