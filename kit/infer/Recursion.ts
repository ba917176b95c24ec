/**
 * Objects that hold objects of their own kind: trees of files, comments with replies.
 *
 * They are inferred together, whatever their depth: the depth that was seen is no limit for the next result.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { Inner, kindOf } from "./Sample.ts"
import type { ObjectSample } from "./Variants.ts"

/** The objects that a value is, or that it lists. */
const objectsIn = (value: unknown): ReadonlyArray<JsonObject> =>
  (Array.isArray(value) ? value : [value]).filter((one): one is JsonObject => kindOf(one) === "object")

const namesOf = (objects: ReadonlyArray<JsonObject>): ReadonlySet<string> => new Set(objects.flatMap(Object.keys))

/** Share of all fields that both must have. */
const kinship = 0.5

/** The fields under which objects hold others of their kind, that hold such in turn. */
export const recursiveFields = (objects: ReadonlyArray<ObjectSample>): ReadonlySet<string> => {
  const own = namesOf(objects.map(({ value }) => value))
  return new Set(
    [...own].filter((name) => {
      const inner = objects.flatMap(({ value }) => objectsIn(value[name]))
      if (!inner.some((one) => Object.hasOwn(one, name))) return false
      const names = namesOf(inner)
      const both = [...names].filter((each) => own.has(each)).length
      return both >= kinship * new Set([...own, ...names]).size
    })
  )
}

/** The objects with all of their kind inside of them. */
export const withInner = (
  objects: ReadonlyArray<ObjectSample>,
  fields: ReadonlySet<string>
): ReadonlyArray<ObjectSample> => {
  const all = [...objects]
  // the list grows while it is walked
  for (const { value } of all) {
    for (const name of fields) {
      for (const inner of objectsIn(value[name])) all.push({ value: inner, entity: CallKey.canonical(inner) })
    }
  }
  return all
}

/** A value with what stands for its inner objects. */
export const closed = (value: unknown, loop: object): unknown => {
  if (Array.isArray(value)) return value.map((item) => (kindOf(item) === "object" ? new Inner(loop) : item))
  return kindOf(value) === "object" ? new Inner(loop) : value
}
