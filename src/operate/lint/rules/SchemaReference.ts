/** A reference that leads nowhere. */
import { cut } from "#domain/FieldPath"
import { shown } from "#domain/VisibleText"
import { isFields, type Pointer } from "#src/operate/lint/Json"
import { type Fault, overTool } from "#src/operate/lint/Rule"
import { resolve, type Root } from "#src/operate/lint/Shapes"

export const schemaReference = overTool(
  {
    id: "schema-reference",
    category: "schema",
    severity: "error",
    title: "Each `$ref` leads to a definition in the same schema.",
    why: "Nobody fetches other documents for a tool: neither the provider nor the model. A reference to a definition that is not there, or stands elsewhere in the list, leaves the parameter without any schema, or the whole request refused.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "$ref": "#/components/schemas/OrderId" } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": {
    "type": "object",
    "properties": { "id": { "$ref": "#/$defs/OrderId" } },
    "$defs": { "OrderId": { "type": "string" } }
  }
}`
    }
  },
  ({ tool: { at, parameters, result } }) =>
    [
      { schema: parameters, pointer: at.parameters },
      { schema: result, pointer: at.result }
    ].flatMap((root) => dangling(root.schema, root.pointer, root))
)

/** Anchors and other documents' parts are found by name, wherever they stand. */
const isNamed = (reference: string, root: Root): boolean => {
  const text = JSON.stringify(root.schema)
  const fragment = reference.startsWith("#") ? reference.slice(1) : ""
  return fragment !== "" && !fragment.startsWith("/")
    ? text.includes(`"$anchor":${JSON.stringify(fragment)}`) ||
        text.includes(`"$dynamicAnchor":${JSON.stringify(fragment)}`) ||
        text.includes(`"$id":${JSON.stringify(reference)}`)
    : text.includes(`"$id":${JSON.stringify(reference.split("#")[0])}`)
}

/** Keywords whose value is data, not a schema. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"])

const dangling = (value: unknown, at: Pointer, root: Root): ReadonlyArray<Fault> => {
  if (Array.isArray(value)) return value.flatMap((each: unknown, index) => dangling(each, [...at, index], root))
  if (!isFields(value)) return []
  const { $ref } = value
  const isLost = typeof $ref === "string" && resolve($ref, root) === undefined && !isNamed($ref, root)
  const own = isLost
    ? [
        {
          at: [...at, "$ref"],
          message: `The reference ${cut(shown($ref), 80)} leads nowhere in this schema; put the definition into it.`
        }
      ]
    : []
  const inner = Object.entries(value).flatMap(([name, each]) =>
    data.has(name) ? [] : dangling(each, [...at, name], root)
  )
  return [...own, ...inner]
}
