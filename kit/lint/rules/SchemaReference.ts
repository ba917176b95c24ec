/** Reports a dangling reference. */
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
    step: 14,
    severity: "error",
    title: "Each `$ref` refers to a definition in the same schema.",
    why: "Neither the provider nor the model fetches other documents for a tool. If a definition does not exist, or is elsewhere in the list, the parameter has no schema, or the whole request is refused.",
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
  // references can name anchors and bundled schemas, whose place is irrelevant
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
      message: `The reference ${cut(shown(reference), 80)} does not resolve in this schema; add the definition to it.`
    }))
}
