/** Reports a schema that allows no value. */
import { overField } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import { conforms } from "#kit/lint/reading/Conformance"
import type { Shape } from "#kit/lint/reading/Shapes"

export const schemaContradiction = overField(
  {
    id: "schema-contradiction",
    category: "schema",
    step: 14,
    severity: "error",
    title: "Each schema allows at least one value.",
    why: "If a minimum is above its maximum, or every value of an `enum` is of the wrong type, every call is refused, and the model tries again and again.",
    example: {
      bad: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "limit": { "type": "integer", "minimum": 100, "maximum": 10 } } }
}`,
      good: `{
  "name": "list_orders",
  "description": "Lists orders.",
  "parameters": { "type": "object", "properties": { "limit": { "type": "integer", "minimum": 1, "maximum": 100 } } }
}`
    }
  },
  ({ path, pointer, shapes }) => {
    const problems = shapes.map(problemOf)
    return shapes.length === 0 || problems.some((problem) => problem === undefined)
      ? []
      : problems.slice(0, 1).map((problem): Fault => ({
          at: pointer,
          message: `The schema of ${path === "" ? "the parameters" : `\`${path}\``} allows no value: ${problem}.`
        }))
  }
)

const bounds = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"]
] as const

/** Returns, as a clause, the reason why an alternative allows no value. Returns `undefined` if it allows a value. */
const problemOf = (shape: Shape): string | undefined => {
  const { schema, type } = shape
  for (const [least, most] of bounds) {
    const [low, high] = [schema[least], schema[most]]
    if (typeof low === "number" && typeof high === "number" && low > high)
      return `its ${least} ${low} is above its ${most} ${high}`
  }
  const values = schema["enum"]
  if (!Array.isArray(values) || type === "any") return undefined
  if (values.length === 0) return "its enum is empty"
  return values.some((value) => conforms(value, [shape]))
    ? undefined
    : `no value of its enum meets its other keywords (${type})`
}
