/**
 * Describes the values that a JSON Schema allows as plain alternatives. References are resolved, `allOf` is merged, and
 * `anyOf`, `oneOf` and lists of types are split.
 *
 * - Type names of other languages (`dict`, `float`, `str`) are read as the JSON Schema types that they mean. The rule
 *   `schema-valid` reports them.
 * - `shapesOf` never fails: a dangling or circular reference yields the type `any`, and at most 64 alternatives are
 *   returned.
 *
 * The alternatives are approximate, but keep the place of each keyword for messages. `kit/containment/NormalForm.ts`
 * computes exact alternatives for proofs.
 */
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { isAnything } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { type JsonType, typeNamed, typeOf } from "effect-toolguard/internal/domain/schema/json/Types"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** A schema and its place in the document. */
export interface Place {
  readonly schema: unknown
  readonly pointer: JsonPointer.JsonPointer
}

/** One alternative: a type with the keywords that apply to it. */
export interface Shape {
  readonly type: JsonType | "any"
  readonly schema: JsonObject
  readonly pointer: JsonPointer.JsonPointer
  /** The place of the schema that contains each keyword. */
  readonly origins: ReadonlyMap<string, JsonPointer.JsonPointer>
  /** The properties by name. */
  readonly properties: ReadonlyMap<string, Place>
  /** True if several schemas of an `allOf` were merged, so a keyword may come from only one of these schemas. */
  readonly isComposed: boolean
}

/** The document in which references are resolved, which is the parameters or the result of one tool. */
export interface Root {
  readonly schema: unknown
  readonly pointer: JsonPointer.JsonPointer
}

const maxAlternatives = 64

/** The maximum number of schemas to read for one place, because references can multiply a schema without limit. */
const maxSteps = 2_000

/** The alternatives of schemas that consist of one reference, by the reference. They belong to one root. */
export type KnownShapes = Map<string, ReadonlyArray<Shape>>

/**
 * Returns the alternatives of a schema. Returns none if the schema allows no value. `known` shares the alternatives of equal
 * references, of which a schema may have thousands.
 */
export const shapesOf = (place: Place, root: Root, known: KnownShapes = new Map()): ReadonlyArray<Shape> => {
  const { $ref, ...others } = Fields.of(place.schema)
  const reference = typeof $ref === "string" && Object.keys(others).length === 0 ? $ref : undefined
  const same = reference === undefined ? undefined : known.get(reference)
  if (same !== undefined) return same
  const shapes = alternatives({ ...empty, pointer: place.pointer }, place, {
    root,
    seen: new Set(),
    steps: { left: maxSteps }
  })
    .flatMap(typed)
    .slice(0, maxAlternatives)
  // a shape that has the place of the reference cannot be shared
  if (reference !== undefined && shapes.every(({ pointer }) => pointer !== place.pointer)) known.set(reference, shapes)
  return shapes
}

type UntypedShape = Omit<Shape, "type">

const empty = { schema: {}, origins: new Map(), properties: new Map(), isComposed: false }

interface Walk {
  readonly root: Root
  /** The references on the path to the current schema. */
  readonly seen: ReadonlySet<string>
  readonly steps: { left: number }
}

/** The maximum length of a chain of references that is followed. A longer chain would overflow the stack. */
const maxChain = 100

/** Returns the alternatives of `base` combined with the schema at `place`. */
const alternatives = (base: UntypedShape, place: Place, walk: Walk): ReadonlyArray<UntypedShape> => {
  const schema = Fields.of(place.schema)
  if (walk.steps.left-- <= 0) return [base]
  if (place.schema === false || isAnything(schema["not"])) return []
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  let all: ReadonlyArray<UntypedShape> = [merged(base, own, place.pointer)]
  if (typeof $ref === "string") {
    const target = walk.seen.has($ref) || walk.seen.size >= maxChain ? undefined : resolve($ref, walk.root)
    if (target !== undefined) all = each(all, [target], { ...walk, seen: new Set([...walk.seen, $ref]) })
  }
  for (const member of members("allOf", allOf, place)) {
    all = each(all, [member], walk).map((shape) => ({ ...shape, isComposed: true }))
  }
  for (const any of [members("anyOf", anyOf, place), members("oneOf", oneOf, place)]) {
    if (any.length > 0) all = each(all, any, walk)
  }
  return all
}

const members = (keyword: string, schemas: unknown, { pointer }: Place): ReadonlyArray<Place> =>
  Array.isArray(schemas)
    ? schemas
        .slice(0, maxAlternatives)
        .map((schema: unknown, index) => ({ schema, pointer: [...pointer, keyword, index] }))
    : []

/** Combines every alternative with every schema, up to the limit. */
const each = (
  all: ReadonlyArray<UntypedShape>,
  places: ReadonlyArray<Place>,
  walk: Walk
): ReadonlyArray<UntypedShape> => {
  const found: Array<UntypedShape> = []
  for (const place of places) {
    for (const base of all) {
      if (found.length < maxAlternatives) found.push(...alternatives(base, place, walk))
    }
  }
  return found.slice(0, maxAlternatives)
}

const merged = (base: UntypedShape, own: JsonObject, pointer: JsonPointer.JsonPointer): UntypedShape => {
  const properties = new Map(base.properties)
  for (const [name, schema] of Object.entries(Fields.of(own["properties"]))) {
    if (!properties.has(name)) properties.set(name, { schema, pointer: [...pointer, "properties", name] })
  }
  const origins = new Map(base.origins)
  for (const keyword of Object.keys(own)) if (!origins.has(keyword)) origins.set(keyword, pointer)
  const required = [base.schema["required"], own["required"]].flatMap((names) => (Array.isArray(names) ? names : []))
  return {
    // the outer schema takes precedence: a description next to a reference replaces the target's description
    schema: { ...own, ...base.schema, ...("required" in own || "required" in base.schema ? { required } : {}) },
    pointer: "type" in own ? pointer : base.pointer,
    origins,
    properties,
    isComposed: base.isComposed
  }
}

/**
 * Returns the schema that a reference names, or `undefined` if the reference is dangling or leads outside the document.
 */
export const resolve = (reference: string, root: Root): Place | undefined => {
  const path = JsonPointer.fromReference(reference)
  const schema = path && JsonPointer.valueAt(root.schema, path)
  return path !== undefined && (isJsonObject(schema) || typeof schema === "boolean")
    ? { schema, pointer: [...root.pointer, ...path] }
    : undefined
}

const typed = (shape: UntypedShape): ReadonlyArray<Shape> => typesOf(shape.schema).map((type) => ({ ...shape, type }))

const typesOf = (schema: JsonObject): ReadonlyArray<Shape["type"]> => {
  const { type } = schema
  if (Array.isArray(type)) {
    const named = type.map(typeNamed).filter((name) => name !== undefined)
    return named.length === 0 ? ["any"] : [...new Set(named)]
  }
  if (type !== undefined) return [typeNamed(type) ?? "any"]
  if (Object.hasOwn(schema, "const")) return [typeOf(schema["const"])]
  if (Array.isArray(schema["enum"])) return [...new Set(schema["enum"].map(typeOf))]
  // the key was checked, so it has a value
  const implied = Object.keys(schema).flatMap((name) => (Object.hasOwn(impliedBy, name) ? [impliedBy[name]!] : []))
  return [implied[0] ?? "any"]
}

const impliedBy: Readonly<Record<string, JsonType>> = {
  properties: "object",
  additionalProperties: "object",
  patternProperties: "object",
  items: "array",
  prefixItems: "array",
  minItems: "array",
  maxItems: "array",
  minLength: "string",
  maxLength: "string",
  pattern: "string",
  format: "string",
  minimum: "number",
  maximum: "number"
}
