/**
 * Finds recursive objects, which contain objects of the same kind, such as trees of files or comments with replies.
 *
 * Objects of all depths are inferred together, because the next result may be deeper.
 */
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { Inner, kindOf } from "./Sample.ts"
import type { ObjectSample } from "./Variants.ts"

/** Returns the objects in a list. A value that is an object counts as a list with one item. */
const objectsIn = (value: unknown): ReadonlyArray<JsonObject> =>
  (Array.isArray(value) ? value : [value]).filter((one): one is JsonObject => kindOf(one) === "object")

const namesOf = (objects: ReadonlyArray<JsonObject>): ReadonlySet<string> => new Set(objects.flatMap(Object.keys))

/** The minimum share of all fields that outer and inner objects have in common. */
const similarity = 0.5

/** Returns the fields that contain objects of the same kind, at least one of which has the same field too. */
export const recursiveFields = (objects: ReadonlyArray<ObjectSample>): ReadonlySet<string> => {
  const own = namesOf(objects.map(({ value }) => value))
  return new Set(
    [...own].filter((name) => {
      const inner = objects.flatMap(({ value }) => objectsIn(value[name]))
      if (!inner.some((one) => Object.hasOwn(one, name))) return false
      const names = namesOf(inner)
      const both = [...names].filter((each) => own.has(each)).length
      return both >= similarity * new Set([...own, ...names]).size
    })
  )
}

/** Returns the objects together with all objects of the same kind inside them. */
export const withInner = (
  objects: ReadonlyArray<ObjectSample>,
  fields: ReadonlySet<string>
): ReadonlyArray<ObjectSample> => {
  const all = [...objects]
  // the list grows during the iteration
  for (const { value } of all) {
    for (const name of fields) {
      for (const inner of objectsIn(value[name])) all.push({ value: inner, entity: CallKey.canonical(inner) })
    }
  }
  return all
}

/** Replaces the inner objects of a value with references to the loop. */
export const withReferences = (value: unknown, loop: object): unknown => {
  if (Array.isArray(value)) return value.map((item) => (kindOf(item) === "object" ? new Inner(loop) : item))
  return kindOf(value) === "object" ? new Inner(loop) : value
}
