/**
 * Writes a union of scalars (strings, numbers, booleans, null) as one JSON Schema with a list of types, such as
 * `{"type": ["string", "null"], "enum": ["d", "w", null]}`, instead of `anyOf`.
 *
 * The result accepts the same values. A union stays `anyOf` if one member lists its values and another does not, if two
 * members that do not list their values have the same type, if two members have bounds, or if a member has an
 * annotation that the whole union cannot take over. In such a union, nested unions without annotations are still
 * flattened, and repeated members are removed.
 */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { mapSchemas } from "#domain/schema/json/KeywordValue"
import { kindOf } from "#domain/schema/json/Keywords"
import { hasType, type JsonType } from "#domain/schema/json/Types"

/** Returns a schema in which every union of scalars, at any depth, is compact. */
export const compact = (schema: JsonObject): JsonObject => {
  const inside = Object.entries(schema).map(([keyword, value]) => {
    const kind = kindOf(keyword)
    const inner = (each: unknown): unknown => (isJsonObject(each) ? compact(each) : each)
    return [keyword, kind === undefined ? value : mapSchemas(kind, value, inner)] as const
  })
  return union(Object.fromEntries(inside))
}

/** The annotations that the member of a nullable union passes to the union. */
const inherited = ["title", "description", "examples"]

const annotations: ReadonlySet<string> = new Set([...inherited, "default"])

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const isNull = (schema: JsonObject): boolean => isEqual(schema, { type: "null" })

/** Writes a schema with `anyOf`, whose members are compact, as compactly as possible. */
const union = ({ anyOf, ...rest }: JsonObject): JsonObject => {
  if (!Array.isArray(anyOf) || !anyOf.every(isJsonObject)) return anyOf === undefined ? rest : { anyOf, ...rest }
  if (!Object.keys(rest).every((keyword) => annotations.has(keyword))) return { anyOf, ...rest }
  const { members, outer } = flattened(anyOf, rest)
  const [only, second] = members
  const single = second === undefined && only !== undefined && !isClash(only, outer) ? only : joined(members)
  return single === undefined ? { anyOf: members, ...outer } : { ...single, ...outer }
}

const isClash = (member: JsonObject, outer: JsonObject): boolean =>
  Object.keys(member).some((keyword) => Object.hasOwn(outer, keyword))

interface Union {
  readonly members: ReadonlyArray<JsonObject>
  /** The annotations of the union. */
  readonly outer: JsonObject
}

/** Returns the distinct members of a union and of the unions inside it, without the annotations of the outer union. */
const flattened = (anyOf: ReadonlyArray<JsonObject>, rest: JsonObject): Union => {
  const own = anyOf.map((member) => without(member, (keyword, value) => isEqual(rest[keyword], value)))
  const [real, other] = own.filter((member) => !isNull(member))
  const isNullable = real !== undefined && other === undefined && ("anyOf" in real || isScalar(real))
  const given = isNullable
    ? Object.entries(real).filter(([keyword]) => inherited.includes(keyword) && !Object.hasOwn(rest, keyword))
    : []
  const names = new Set(given.map(([keyword]) => keyword))
  const bare = own.map((member) => without(member, (keyword) => names.has(keyword)))
  const members = bare.flatMap((member): ReadonlyArray<JsonObject> => {
    const { anyOf: inner, ...others } = member
    return Array.isArray(inner) && Object.keys(others).length === 0 ? inner : parts(member)
  })
  const distinct = new Map(members.map((member) => [JSON.stringify(member), member]))
  return { members: [...distinct.values()], outer: { ...Object.fromEntries(given), ...rest } }
}

const without = (schema: JsonObject, isDropped: (keyword: string, value: unknown) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !isDropped(keyword, value)))

/** The scalar types, each with the keywords that apply only to it. */
const keywords: { readonly [Type in JsonType]?: ReadonlySet<string> } = {
  string: new Set(["minLength", "maxLength", "pattern", "format"]),
  number: new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
  boolean: new Set(),
  null: new Set()
}

const domainOf = (type: unknown): JsonType => (type === "integer" ? "number" : (type as JsonType)) // `typesOf` checked it

/** Returns the types of a schema of scalars; `undefined` if it allows other values or has other keywords. */
const typesOf = ({ enum: values, type, ...rest }: JsonObject): ReadonlyArray<JsonType> | undefined => {
  const types = Array.isArray(type) ? type : [type]
  const allowed = types.map((each) => keywords[domainOf(each)])
  if (allowed.includes(undefined)) return undefined
  const isPlain = Object.keys(rest).every((keyword) => allowed.some((own) => own?.has(keyword)))
  return isPlain && (values === undefined || Array.isArray(values)) ? types : undefined
}

const isScalar = (schema: JsonObject): boolean =>
  typesOf(without(schema, (keyword) => annotations.has(keyword))) !== undefined

/** Returns a schema of several scalar types as one schema for each type. Returns other schemas unchanged. */
const parts = (schema: JsonObject): ReadonlyArray<JsonObject> => {
  const { enum: values, type, ...rest } = schema
  if (!Array.isArray(type) || typesOf(schema) === undefined) return [schema]
  return type.map((each: unknown) => ({
    type: each,
    ...(Array.isArray(values) && each !== "null" ? { enum: values.filter((value) => hasType(value, each)) } : {}),
    ...without(rest, (keyword) => keywords[domainOf(each)]?.has(keyword) !== true)
  }))
}

/** Returns one schema that accepts the same values as the members; `undefined` if there is no such schema. */
const joined = (members: ReadonlyArray<JsonObject>): JsonObject | undefined => {
  if (members.some((member) => typesOf(member) === undefined)) return undefined
  const values = members.map(valuesOf)
  if (values.every((each) => each !== undefined)) {
    const types = members.map(({ type }) => domainOf(type))
    return { type: listed(types), enum: [...new Set(values.flat())] }
  }
  const isOpen = members.every(({ enum: own }) => own === undefined)
  const types = members.map(({ type }) => type)
  const bounds = members.map((member) => without(member, (keyword) => keyword === "type"))
  const isBounded = bounds.filter((each) => Object.keys(each).length > 0).length > 1
  if (!isOpen || isBounded || new Set(types.map(domainOf)).size < types.length) return undefined
  return { type: listed(types), ...Object.assign({}, ...bounds) }
}

const listed = (types: ReadonlyArray<unknown>): unknown => {
  const [first, ...others] = new Set(types)
  return others.length === 0 ? first : [first, ...others]
}

/**
 * Returns all values that a member allows; `undefined` if the member has bounds, or if it does not list its values and
 * is neither boolean nor null.
 */
const valuesOf = ({ enum: values, type, ...bounds }: JsonObject): ReadonlyArray<unknown> | undefined => {
  if (Object.keys(bounds).length > 0) return undefined
  if (Array.isArray(values)) return values.filter((value) => hasType(value, type))
  return type === "null" ? [null] : type === "boolean" ? [true, false] : undefined
}
