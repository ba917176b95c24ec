/** A reference that leads nowhere. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overTool } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import { data } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { resolve, type Root } from "#kit/lint/reading/Shapes"

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
    ].flatMap((root) => dangling(root))
)

const dangling = (root: Root): ReadonlyArray<Fault> => {
  const references: Array<readonly [string, JsonPointer]> = []
  // anchors, and the parts of a bundle, are found by name wherever they stand
  const names = new Set<string>()
  const walk = (value: unknown, at: JsonPointer): void => {
    if (Array.isArray(value)) return value.forEach((each: unknown, index) => walk(each, [...at, index]))
    if (!isJsonObject(value)) return
    const { $anchor, $dynamicAnchor, $id, $ref } = value
    if (typeof $ref === "string") references.push([$ref, [...at, "$ref"]])
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === "string") names.add(`#${anchor}`)
    if (typeof $id === "string") names.add($id)
    for (const [name, each] of Object.entries(value)) if (!data.has(name)) walk(each, [...at, name])
  }
  walk(root.schema, root.pointer)
  return references
    .filter(([reference]) => !names.has(reference) && !names.has(reference.split("#")[0] || "#"))
    .filter(([reference]) => resolve(reference, root) === undefined)
    .map(([reference, at]) => ({
      at,
      message: `The reference ${cut(shown(reference), 80)} leads nowhere in this schema; put the definition into it.`
    }))
}
