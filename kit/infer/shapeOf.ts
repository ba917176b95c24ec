/**
 * Infers a shape from samples.
 *
 * Equal objects count once, because a value that a hundred results repeat does not predict the next value.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { acceptable, chance, prior, isSure } from "./Certainty.ts"
import { recursiveFields, withInner, withReferences } from "./Recursion.ts"
import { type Inner, type Kind as ValueKind, kindOf, read, WholeDecimal } from "./Sample.ts"
import type { Kind, Observation, Place, Property, Shape } from "./Shape.ts"
import { textOf } from "./TextKind.ts"
import { isRecord, isScattered, type ObjectSample, variants } from "./Variants.ts"
import * as FieldNames from "./FieldNames.ts"

/** Infers one shape from all samples. */
export const shapeOf = (samples: ReadonlyArray<Observation>, place: Place): Shape => {
  const byKind = Map.groupBy(samples, ({ value }) => kindOf(value))
  const nulls = byKind.get("null")?.length ?? 0
  byKind.delete("null")
  const members = [...byKind]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([kind, of]) => kindsOf(kind, of, place))
  const isDoubtful = FieldNames.mayBeNull(place.name) && !isSure(prior.present, samples.length)
  return { seen: samples.length, nulls, isNullable: nulls > 0 || isDoubtful, kind: either(members) }
}

/**
 * The order in which a decoder tries the members of a union. Strings come last, because a text may contain anything.
 */
const order: ReadonlyArray<ValueKind> = ["inner", "object", "array", "number", "boolean", "string"]

const either = (members: ReadonlyArray<Shape>): Kind => {
  const [first, ...more] = members
  if (first === undefined) return { _tag: "Unseen" }
  return more.length === 0 ? first.kind : { _tag: "Either", members }
}

const shape = (samples: ReadonlyArray<Observation>, kind: Kind): Shape => ({
  seen: samples.length,
  nulls: 0,
  isNullable: false,
  kind
})

const kindsOf = (kind: ValueKind, samples: ReadonlyArray<Observation>, place: Place): ReadonlyArray<Shape> => {
  // each cast relies on `kind`, which is the kind of all samples
  switch (kind) {
    case "boolean":
      return [shape(samples, { _tag: "Flag" })]
    case "number":
      return [shape(samples, numberOf(samples, place.name))]
    case "string":
      return textsOf(samples, place)
    case "array":
      return [shape(samples, listOf(samples, place))]
    case "inner":
      return samples.slice(0, 1).map(({ value }) => shape(samples, { _tag: "Recursion", loop: (value as Inner).loop }))
    default:
      return objectsOf(samples as ReadonlyArray<ObjectSample>, place)
  }
}

/** The limit for integers. Larger whole numbers are close to the limit of a double's precision. */
const largestInteger = 2 ** 51

const numberOf = (samples: ReadonlyArray<Observation>, name: string): Kind => {
  const values = new Set(samples.map(({ value }) => (value instanceof WholeDecimal ? value.value : value))).size
  // isInteger has checked that the value is a number
  const isWhole = samples.every(({ value }) => Number.isInteger(value) && Math.abs(value as number) < largestInteger)
  const risk = chance(FieldNames.isCounting(name) ? prior.count : prior.integer, values)
  return { _tag: "Number", isInteger: isWhole && risk <= acceptable, isWhole, different: values, chance: risk }
}

const valueIn = (text: string): { readonly value: unknown; readonly notation: "json" | "python" } | undefined => {
  if (!/^\s*[[{(]/.test(text)) return undefined
  const found = read(text)
  return found._tag === "Read" ? found : undefined
}

/**
 * Infers the shapes of texts, and of values inside texts. The samples are strings. Plain texts are excluded only if
 * their absence is certain enough.
 */
const textsOf = (samples: ReadonlyArray<Observation>, place: Place): ReadonlyArray<Shape> => {
  const held: Array<Observation & { readonly notation: "json" | "python" }> = []
  const texts: Array<Observation> = []
  for (const sample of samples) {
    const found = valueIn(sample.value as string)
    if (found === undefined) texts.push(sample)
    else held.push({ ...found, entity: sample.entity })
  }
  if (held.length < Math.max(minHeld, texts.length * minHeldShare)) {
    return [shape(samples, textOf(samples, place.name))]
  }
  const notation = held.some(({ notation }) => notation === "python") ? "python" : "json"
  const inside = shape(held, { _tag: "Held", notation, inside: shapeOf(held, { ...place, isRoot: false }) })
  const isAlone = texts.length === 0 && isSure(prior.held, held.length)
  return isAlone ? [inside] : [inside, shape(texts, textOf(texts, place.name))]
}

/** The minimum number of texts with a value inside, for the values to be inferred. */
const minHeld = 3

/** The minimum number of texts with a value for each text without a value. */
const minHeldShare = 0.1

/** Infers the kind of lists. The samples are arrays. */
const listOf = (samples: ReadonlyArray<Observation>, place: Place): Kind => {
  const lists = samples as ReadonlyArray<{ readonly value: ReadonlyArray<unknown>; readonly entity: string }>
  const items = lists.flatMap(({ entity, value }) =>
    value.map((item) => ({ value: item, entity: kindOf(item) === "object" ? CallKey.canonical(item) : entity }))
  )
  return {
    _tag: "List",
    items: shapeOf(items, { ...place, name: FieldNames.singular(place.name), isRoot: false }),
    empty: lists.filter(({ value }) => value.length === 0).length
  }
}

/**
 * Identifies the entity of an object by its first identifying field. Without such a field, returns the parent's entity.
 */
const entityOf = (object: JsonObject, inherited: string): string => {
  for (const name in object) {
    const value = object[name]
    if (FieldNames.isIdentifying(name) && (typeof value === "string" || typeof value === "number"))
      return `${name}=${value}`
  }
  return inherited
}

/** The shape of values that were never seen. */
const unknown: Shape = { seen: 0, nulls: 0, isNullable: false, kind: { _tag: "Unseen" } }

/** Removes equal objects, and determines the entity of each remaining object. */
export const different = (samples: ReadonlyArray<ObjectSample>): ReadonlyArray<ObjectSample> => {
  const found = new Map<string, ObjectSample>()
  for (const { entity, value } of samples) {
    const text = CallKey.canonical(value)
    if (!found.has(text)) found.set(text, { value, entity: entityOf(value, entity) })
  }
  return [...found.values()]
}

const objectsOf = (samples: ReadonlyArray<ObjectSample>, place: Place): ReadonlyArray<Shape> => {
  const objects = different(samples)
  if (recursiveFields(objects).size > 0) return [shape(objects, fieldsOf(objects, place))]
  if (isRecord(objects)) return [shape(objects, entriesOf(objects, place))]
  const { by, groups } = variants(objects, place.isRoot)
  if (groups.length === 1 && isScattered(objects))
    return [shape(objects, { _tag: "Entries", values: unknown, names: 0 })]
  const members = groups.map((group) => shape(group, fieldsOf(group, place, by)))
  return by === undefined ? members : [shape(objects, { _tag: "Either", members, by })]
}

const entriesOf = (objects: ReadonlyArray<ObjectSample>, place: Place): Kind => {
  const entries = objects.flatMap(({ value }) =>
    Object.entries(value).map(([key, each]) => ({ value: each, entity: key }))
  )
  return {
    _tag: "Entries",
    values: shapeOf(entries, { ...place, name: FieldNames.singular(place.name), isRoot: false }),
    names: new Set(objects.flatMap(({ value }) => Object.keys(value))).size
  }
}

/** Infers a struct from different objects. Returns `Empty` if no object has a field. */
export const fieldsOf = (all: ReadonlyArray<ObjectSample>, place: Place, by?: string): Kind => {
  const recursive = recursiveFields(all)
  const loop = {}
  const objects = recursive.size === 0 ? all : different(withInner(all, recursive))
  const fields = new Map<string, Array<Observation>>()
  for (const { entity, value } of objects) {
    for (const [field, of] of Object.entries(value)) {
      const sample = { value: recursive.has(field) ? withReferences(of, loop) : of, entity }
      const known = fields.get(field)
      if (known === undefined) fields.set(field, [sample])
      else known.push(sample)
    }
  }
  if (fields.size === 0) return { _tag: "Empty" }
  const isDoubtful = place.isSeldom === true && !isSure(prior.required, objects.length)
  const properties = [...fields].map(([field, of]): Property => {
    const isUnsure =
      fields.size === 1 && !place.isRoot && FieldNames.isVague(field) && !isSure(prior.content, of.length)
    const isSeldom = place.isSeldom === true || of.length < objects.length
    const known = shapeOf(of, { name: field, of: "field", isRoot: false, isSeldom })
    const found: Shape = isUnsure ? { ...known, kind: { _tag: "Unseen" } } : known
    return {
      name: field,
      shape: field === by ? { ...found, kind: asEnum(found.kind) } : found,
      isOptional: of.length < objects.length || isDoubtful,
      of: objects.length
    }
  })
  const optional = { ...(by === undefined ? {} : { by }), ...(recursive.size === 0 ? {} : { loop }) }
  return { _tag: "Fields", properties, samples: objects, place, ...optional }
}

/** Marks a text as an enum, because the discriminator of a union has one value in each member. */
const asEnum = (kind: Kind): Kind => (kind._tag === "Text" ? { ...kind, isChoice: true } : kind)
