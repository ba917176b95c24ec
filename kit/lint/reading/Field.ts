/**
 * Finds the places in a tool's parameters where a model writes a value, and the values that the schema allows there.
 */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { format } from "effect-toolguard/internal/domain/text/FieldPath"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { schemasIn } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { type KnownShapes, type Place, type Root, type Shape, shapesOf } from "./Shapes.ts"

/** A place at which a model writes a value. */
export interface Field {
  /** The place of the schema. */
  readonly pointer: JsonPointer
  /** The path as text, such as `orders[].cents`. Empty for the parameters as a whole. */
  readonly path: string
  /** The name of the property. Items and map values have the name of their property. Empty for the root. */
  readonly name: string
  readonly role: "root" | "property" | "item" | "value"
  /** The schema as written, with references unresolved. */
  readonly schema: JsonObject
  readonly shapes: ReadonlyArray<Shape>
  /** The description in the schema. Empty if the schema has no description. */
  readonly description: string
  /** True if arguments without the value are refused. */
  readonly isRequired: boolean
  /** The depth of the property: 0 for the parameters as a whole, 1 for a parameter. */
  readonly level: number
  /** The names of all properties of the same object. */
  readonly siblings: ReadonlyArray<string>
}

const maxDepth = 24
const maxFields = 5_000

/** Returns all places of a schema, the outermost first. */
export const fieldsIn = (root: Root): ReadonlyArray<Field> => {
  const found: Array<Field> = []
  const seen = new Set<string>()
  const known: KnownShapes = new Map()
  const whole = { pointer: root.pointer, names: [], name: "", role: "root", isRequired: true, level: 0 } as const
  const queue: Array<QueuedPlace> = [{ ...whole, schema: Fields.of(root.schema), siblings: [] }]
  for (let at = 0; at < queue.length && found.length < maxFields; at++) {
    const next = queue[at]! // `at` is below the length
    const key = JSON.stringify(next.pointer)
    if (seen.has(key)) continue
    seen.add(key)
    const { names, ...place } = next
    const shapes = shapesOf(place, root, known)
    const path = cut(names.join("").replace(/^\./u, ""), 120)
    const description = shapes
      .map(({ schema }) => Fields.string(schema["description"]))
      .find((text) => text.trim() !== "")
    found.push({ ...place, shapes, path, description: description ?? "" })
    if (names.length < maxDepth) for (const shape of shapes) queue.push(...inside(shape, next))
  }
  return found
}

/** A place in the queue, with the path to it. */
interface QueuedPlace extends Omit<Field, "shapes" | "description" | "path"> {
  readonly names: ReadonlyArray<string>
}

const inside = (shape: Shape, { level, name, names }: QueuedPlace): ReadonlyArray<QueuedPlace> => {
  const required = new Set(Array.isArray(shape.schema["required"]) ? shape.schema["required"] : [])
  const siblings = [...shape.properties.keys()]
  const properties = [...shape.properties].map(([property, { pointer, schema }]) => ({
    pointer,
    names: [...names, keyed(property)],
    name: property,
    role: "property" as const,
    schema: Fields.of(schema),
    isRequired: required.has(property),
    level: level + 1,
    siblings
  }))
  const unnamed = (place: Place, suffix: string, role: "item" | "value") => ({
    pointer: place.pointer,
    names: [...names, suffix],
    name,
    role,
    schema: Fields.of(place.schema),
    isRequired: true,
    level,
    siblings: []
  })
  const items = itemsOf(shape).map((place) => unnamed(place, "[]", "item"))
  const values = valuesOf(shape).map((place) => unnamed(place, ".*", "value"))
  return [...properties, ...items, ...values]
}

const keyed = (name: string): string => {
  const text = format([name])
  return text.startsWith("[") ? text : `.${text}`
}

/** Returns the schemas of the elements of an array. */
const itemsOf = (shape: Shape): ReadonlyArray<Place> =>
  shape.type === "array" ? ["items", "prefixItems", "additionalItems"].flatMap((name) => schemasAt(shape, name)) : []

/** Returns the schemas of the values of a map. */
export const valuesOf = (shape: Shape): ReadonlyArray<Place> =>
  shape.type === "object" ? ["additionalProperties", "patternProperties"].flatMap((name) => schemasAt(shape, name)) : []

/** Returns the schemas inside a keyword. Returns none if the keyword's value is a boolean. */
const schemasAt = ({ origins, pointer, schema }: Shape, keyword: string): ReadonlyArray<Place> => {
  const [kind, value] = [kindOf(keyword), schema[keyword]]
  const at = [...(origins.get(keyword) ?? pointer), keyword]
  if (kind === undefined || typeof value !== "object" || value === null) return []
  return schemasIn(kind, value).map(([schema, path]) => ({ schema, pointer: [...at, ...path] }))
}
