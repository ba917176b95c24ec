/** Reports an object that does not declare which properties are required. */
import { isPaging } from "#kit/lint/reading/Paging"
import { overField } from "./Rule.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import type { Field } from "#kit/lint/reading/Field"
import type { Fault, Subject } from "#kit/lint/reading/Subject"
import { isOptional } from "#kit/lint/reading/OptionalPhrases"

export const requiredMissing = overField(
  {
    id: "required-missing",
    category: "schema",
    step: 7,
    severity: "warning",
    title: "Each object declares which of its properties are required.",
    why: 'Without `required`, every parameter is optional, and a model omits what it does not know. If all parameters are meant to be optional, `"required": []` shows that the list was not forgotten. Paging parameters, and parameters with a default or described as optional, do not count.',
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }
}`
    },
    strict: {
      title: "`required` is present in each object with properties, even if all of them may be omitted.",
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "cursor": { "type": "string" } } }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "cursor": { "type": "string" } }, "required": [] }
}`
    }
  },
  (field, subject, { isStrict }) =>
    field.shapes.flatMap((shape): ReadonlyArray<Fault> => {
      const { properties, schema, type } = shape
      if (type !== "object" || properties.size === 0 || "required" in schema) return []
      const fields = fieldsByPointer(subject)
      const omittable = [...properties.values()].flatMap(({ pointer }): ReadonlyArray<Field> => {
        const inner = fields.get(pointer)
        return inner !== undefined && (isStrict || (!isPaging(inner) && !isOptional(inner, subject))) ? [inner] : []
      })
      if (omittable.length === 0) return []
      const names = omittable
        .slice(0, 3)
        .map(({ name }) => `\`${name}\``)
        .join(", ")
      const more = omittable.length > 3 ? ` and ${omittable.length - 3} more` : ""
      const whole = field.path === "" ? "The parameters have" : `\`${field.path}\` has`
      return [
        {
          at: shape.pointer,
          message: `${whole} no \`required\`, so ${names}${more} may be omitted; list what is required, or write [].`
        }
      ]
    })
)

const indexes = new WeakMap<Subject, ReadonlyMap<JsonPointer, Field>>()

/** Returns the properties of a tool by their pointers, from a cache, because a tool may have thousands of properties. */
const fieldsByPointer = (subject: Subject): ReadonlyMap<JsonPointer, Field> => {
  const known =
    indexes.get(subject) ??
    new Map(subject.fields.flatMap((field) => (field.role === "property" ? [[field.pointer, field] as const] : [])))
  indexes.set(subject, known)
  return known
}
