/**
 * Finds the boundaries of a JSON Schema: edits that move a valid value onto a bound of the schema, or one step past the
 * bound.
 *
 * The contract decides whether an edited value is still valid. The casts assume that the schema is a valid JSON Schema,
 * and that every part of a JSON value is a JSON value.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import type * as JsonSchema from "effect/JsonSchema"
import type { Json } from "./FuzzCase.ts"

/** An edit of one place in a value. */
export interface Boundary {
  /** Describes the edit to a reader: `limit: maximum + 1`. */
  readonly name: string
  /** Returns the edited value; `undefined` if the value has no such place. */
  readonly apply: (value: Json) => Json | undefined
}

type Path = ReadonlyArray<string | number>

/** Replaces the value at a place. `undefined` removes the field. */
type Edit = (old: Json | undefined) => Json | undefined

interface BoundaryEdit {
  readonly path: Path
  readonly name: string
  readonly edit: Edit
}

/** The maximum length of generated texts (in code points) and lists. Larger bounds are skipped. */
const maxLengths = { text: 20_000, list: 2_000 }
/** The maximum depth. Fields that are nested deeper are skipped. */
const maxDepth = 6

/** Returns the boundaries of a schema, within the limits above. */
export const of = (schema: JsonSchema.JsonSchema): ReadonlyArray<Boundary> =>
  walk(schema, schema, [], 0).map(({ edit, name, path }) => ({
    name: `${path.length === 0 ? "the value" : path.join(".")}: ${name}`,
    apply: (value) => applyAt(value, path, edit)
  }))

/** Applies an edit at a path. Returns `undefined` if the value has no such place. */
const applyAt = (value: Json | undefined, [head, ...rest]: Path, edit: Edit): Json | undefined => {
  if (head === undefined) return edit(value)
  if (typeof head === "number") {
    if (!Array.isArray(value) || value.length <= head) return undefined
    const item = applyAt(value[head] as Json, rest, edit)
    return item === undefined ? undefined : value.with(head, item)
  }
  if (!isJsonObject(value)) return undefined
  if (rest.length > 0 && !Object.hasOwn(value, head)) return undefined
  const field = applyAt(value[head], rest, edit)
  if (field === undefined && rest.length > 0) return undefined
  const { [head]: _, ...others } = value
  return field === undefined ? others : { ...value, [head]: field }
}

const put =
  (value: Json): Edit =>
  () =>
    value

const walk = (schema: JsonObject, root: JsonObject, path: Path, depth: number): ReadonlyArray<BoundaryEdit> => {
  if (depth > maxDepth) return []
  const at = (name: string, edit: Edit): BoundaryEdit => ({ path, name, edit })
  const { $ref: reference, anyOf, oneOf } = schema
  if (typeof reference === "string") {
    const target = JsonPointer.resolve(root, reference)
    return typeof target === "object" && target !== null ? walk(target as JsonObject, root, path, depth + 1) : []
  }
  const members = (anyOf ?? oneOf) as ReadonlyArray<JsonObject> | undefined
  if (members !== undefined) return members.flatMap((member) => walk(member, root, path, depth + 1))
  if (Array.isArray(schema["enum"])) return [...ofEnum(schema["enum"] as ReadonlyArray<Json>, at), ...wrongTypes(at)]
  switch (schema["type"]) {
    case "string":
      return [...ofText(schema, at), ...wrongTypes(at)]
    case "integer":
    case "number":
      return [...ofNumber(schema, at), ...wrongTypes(at)]
    case "boolean":
      return [at("true", put(true)), at("false", put(false)), at("a string", put("true")), ...wrongTypes(at)]
    case "array":
      return [...ofList(schema, root, path, depth, at), ...wrongTypes(at)]
    case "object":
      return [...ofObject(schema, root, path, depth, at), ...wrongTypes(at)]
    default:
      return wrongTypes(at)
  }
}

type At = (name: string, edit: Edit) => BoundaryEdit

const wrongTypes = (at: At): ReadonlyArray<BoundaryEdit> => [
  at("null", put(null)),
  at("an object", put({})),
  at("a list", put([])),
  at("wrapped in a list", (old) => (old === undefined ? undefined : [old])),
  at("as JSON text", (old) => (old === undefined ? undefined : JSON.stringify(old)))
]

const ofEnum = (values: ReadonlyArray<Json>, at: At): ReadonlyArray<BoundaryEdit> => [
  ...values.map((value) => at(`value ${JSON.stringify(value)}`, put(value))),
  at("a value outside the enum", put("none of them")),
  at("a value in upper case", put(`${String(values[0]).toUpperCase()} `)),
  at("an empty string", put(""))
]

/** Returns each bound and the sizes that are one smaller and one larger, up to a maximum. */
const around = (bounds: ReadonlyArray<unknown>, max: number): ReadonlyArray<number> =>
  bounds
    .flatMap((bound) => (typeof bound === "number" ? [bound - 1, bound, bound + 1] : []))
    .filter((size) => size >= 0 && size <= max)

const ofText = ({ maxLength, minLength, pattern }: JsonObject, at: At): ReadonlyArray<BoundaryEdit> => {
  return [
    at("an empty string", put("")),
    at("spaces", put("  ")),
    at("a number", put(7)),
    ...around([minLength, maxLength], maxLengths.text).flatMap((length) => [
      at(`length ${length}`, put("a".repeat(length))),
      at(`length ${length} in emoji of two code units`, put("😀".repeat(length)))
    ]),
    ...(pattern === undefined
      ? []
      : [
          at("before the pattern", (old) => (typeof old === "string" ? ` ${old}` : undefined)),
          at("after the pattern", (old) => (typeof old === "string" ? `${old}\n` : undefined))
        ])
  ]
}

const ofNumber = (schema: JsonObject, at: At): ReadonlyArray<BoundaryEdit> => {
  const bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].flatMap((keyword) => {
    const bound = schema[keyword]
    return typeof bound === "number"
      ? [
          at(keyword, put(bound)),
          at(`${keyword} - 1`, put(bound - 1)),
          at(`${keyword} + 1`, put(bound + 1)),
          at(`${keyword} + 0.5`, put(bound + 0.5))
        ]
      : []
  })
  return [...bounds, ...[0, -1, 0.5, 1e308, -1e-300, 2 ** 53].map((number) => at(String(number), put(number)))]
}

const ofList = (
  schema: JsonObject,
  root: JsonObject,
  path: Path,
  depth: number,
  at: At
): ReadonlyArray<BoundaryEdit> => {
  const { items, maxItems, minItems } = schema
  const ofSize =
    (size: number): Edit =>
    (old) => {
      if (!Array.isArray(old)) return undefined
      const [first] = old as ReadonlyArray<Json>
      if (first === undefined) return size === 0 ? [] : undefined
      return Array.from({ length: size }, (_, index) => (old as ReadonlyArray<Json>)[index] ?? first)
    }
  return [
    at("no items", put([])),
    at("a duplicate item", (old) => (Array.isArray(old) && old.length > 0 ? [...old, old[0]] : undefined)),
    at("a null item", (old) => (Array.isArray(old) ? [...old, null] : undefined)),
    ...around([minItems, maxItems], maxLengths.list).map((size) => at(`${size} items`, ofSize(size))),
    ...(typeof items === "object" && items !== null ? walk(items as JsonObject, root, [...path, 0], depth + 1) : [])
  ]
}

const ofObject = (
  schema: JsonObject,
  root: JsonObject,
  path: Path,
  depth: number,
  at: At
): ReadonlyArray<BoundaryEdit> => {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonObject>)
  const added =
    (name: string, value: Json): Edit =>
    (old) =>
      isJsonObject(old) ? { ...old, [name]: value } : undefined
  return [
    at("an unknown field", added("unknown_field", 1)),
    at("a prototype field", added("constructor", { prototype: { polluted: true } })),
    at("a field without a name", added("", "nameless")),
    ...properties.flatMap(([name, field]) => [
      { path: [...path, name], name: "missing", edit: () => undefined },
      at(`${name} in upper case`, renamed(name, name.toUpperCase())),
      ...walk(field, root, [...path, name], depth + 1)
    ])
  ]
}

const renamed =
  (from: string, to: string): Edit =>
  (old) => {
    if (from === to || !isJsonObject(old) || !Object.hasOwn(old, from)) return undefined
    const { [from]: field, ...others } = old
    return { ...others, [to]: field as Json }
  }
