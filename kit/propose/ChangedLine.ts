/**
 * Writes the line of a schema that a suggested change affects, ready to be pasted: as Effect source code, or as JSON
 * Schema if the schema was compiled from JSON Schema.
 */
import type { FaultGroup } from "effect-toolguard/internal/domain/faults/FaultGroups"
import { formOf, nodeAt, type Place } from "effect-toolguard/internal/domain/faults/FaultPlace"
import * as SchemaLine from "effect-toolguard/internal/domain/faults/SchemaLine"
import { isClass } from "effect-toolguard/internal/domain/schema/SchemaNode"
import { notationOf } from "effect-toolguard/internal/domain/schema/SchemaNotation"
import type * as SchemaAST from "effect/SchemaAST"
import * as OutputSchema from "./OutputSchema.ts"
import { relax } from "./RelaxedSchema.ts"
import { fieldSource } from "./SchemaSource.ts"

/** The maximum length of a line. Of a longer line, only the change is written, with `…` for the rest. */
const maxLength = 4_000

/** The name of the whole result in a definition. */
const root = { effect: "success", "json-schema": "outputSchema" } as const

/** Returns the index of the last step to a field that has a line. The fields of an `Option` in JSON have no lines. */
const lastField = (schema: SchemaAST.AST, place: Place): number => {
  const end = place.findIndex(({ _tag }, index) => {
    const node = _tag === "Form" ? nodeAt(schema, place.slice(0, index)) : undefined
    return node !== undefined && formOf(node) !== undefined && !isClass(node)
  })
  return place.slice(0, end < 0 ? place.length : end).findLastIndex(({ _tag }) => _tag === "Field")
}

/**
 * Returns the changed line; undefined if the group suggests no change. `schema` is the schema that the values violated.
 */
export const of = (group: FaultGroup<unknown>, schema: SchemaAST.AST | undefined): string | undefined => {
  const { fault, suggestion } = group
  const short = () => SchemaLine.of(group, schema)
  const relaxed = schema === undefined ? undefined : relax(schema, group)
  if (schema === undefined || relaxed === undefined || fault.place === undefined) return short()
  const last = lastField(schema, fault.place)
  const step = fault.place[last]
  const parent = nodeAt(relaxed, fault.place.slice(0, Math.max(last, 0)))
  const notation = notationOf(schema)
  const isJson = notation === "json-schema"
  const name = step?._tag === "Field" ? step.name : root[notation]
  if (step?._tag !== "Field" || parent?._tag !== "Objects") {
    const line = isJson ? OutputSchema.field(name, relaxed) : fieldSource(name, relaxed, schema, [])
    return line.length > maxLength ? short() : line
  }
  const type = parent.propertySignatures.find((property) => property.name === name)?.type
  if (type === undefined) return short()
  if (isJson && suggestion._tag === "optional" && last === fault.place.length - 1) return OutputSchema.required(parent)
  const line = isJson ? OutputSchema.field(name, type) : fieldSource(name, type, schema, fault.place.slice(0, last + 1))
  return line.length > maxLength ? short() : line
}
