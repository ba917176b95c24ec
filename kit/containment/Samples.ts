/**
 * Generates values that a term accepts: small values, and values on the bounds. The validator confirms each value.
 *
 * A value may not be found if a string has an unsupported pattern, or if every accepted value is too large.
 */
import type { Alternative, Lists, Numbers, Objects, Texts } from "./Alternative.ts"
import { itemAt, propertyAt } from "./Intersection.ts"
import { normal } from "./NormalForm.ts"
import { texts as textsOf } from "./PatternSamples.ts"
import type { Term } from "#kit/schema/Term"
import type { JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { matches } from "#kit/schema/Assertions"
import * as Effort from "#kit/schema/Effort"
import { valid } from "#kit/schema/Judge"

/** The maximum nesting of a value. */
const maxDepth = 6

/** The maximum number of values of a term. */
const maxSamples = 24

const known = new WeakMap<JsonObject, Map<number, ReadonlyArray<unknown>>>()

/** Returns values that a term accepts. */
export const samples = (term: Term, depth = 0): ReadonlyArray<unknown> => {
  const [only, ...more] = term
  if (only === undefined || more.length > 0) return make(term, depth)
  const byDepth = known.get(only.node) ?? new Map<number, ReadonlyArray<unknown>>()
  known.set(only.node, byDepth)
  const found = byDepth.get(depth) ?? make(term, depth)
  byDepth.set(depth, found)
  return found
}

const make = (term: Term, depth: number): ReadonlyArray<unknown> => {
  const form = normal(term)
  if (typeof form === "string" || depth > maxDepth) return []
  const found = form.flatMap((alternative) => samplesOf(alternative, depth).slice(0, maxSamples))
  return found.filter((value) => valid(term, value) === true).slice(0, maxSamples)
}

/** Returns one value that a term accepts; `undefined` if none was found. */
export const sample = (term: Term, depth = 0): { readonly value: unknown } | undefined => {
  const [first, ...more] = samples(term, depth)
  return first === undefined && more.length === 0 ? undefined : { value: first }
}

/** Returns values of an alternative. Opaque constraints may still refuse them. */
export const samplesOf = (alternative: Alternative, depth: number): ReadonlyArray<unknown> => {
  switch (alternative._tag) {
    case "Values":
      return alternative.values
    case "Numbers":
      return numbersIn(alternative, [])
    case "Texts":
      return textsIn(alternative, [])
    case "Lists":
      return listsIn(alternative, depth)
    default:
      return objectsIn(alternative, depth)
  }
}

/** Returns numbers of an alternative, near its bounds and near the hints. */
export const numbersIn = (numbers: Numbers, hints: ReadonlyArray<number>): ReadonlyArray<number> => {
  const { high, isHighOpen, isInteger, isLowOpen, low, multiples } = numbers
  const near = [low, high, 0, 1, ...hints].filter(Number.isFinite)
  const step = multiples.reduce((product, one) => product * one, 1)
  const all = near.flatMap((one) => [
    one,
    ...[1, 0.5, 0.1, 7].flatMap((delta) => [one + delta, one - delta]),
    ...[-1, 0, 1].map((delta) => (Math.round(one / step) + delta) * step)
  ])
  return [...new Set(all)].filter(
    (one) =>
      Number.isFinite(one) &&
      (isLowOpen ? one > low : one >= low) &&
      (isHighOpen ? one < high : one <= high) &&
      (!isInteger || Number.isInteger(one)) &&
      multiples.every((each) => Number.isInteger(one / each))
  )
}

const plainTexts = [
  "",
  "a",
  "A",
  "0",
  "-1",
  "a b",
  "é",
  "a-b",
  "2026-01-31",
  "a@b.example",
  "https://example.com/",
  "!"
]

/** The maximum length of a string. */
const maxLength = 5_000

/** Returns strings of an alternative, including some of the given lengths. */
export const textsIn = ({ least, most, patterns }: Texts, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const sizes = [least, most, ...lengths].filter((length) => length >= least && length <= most && length <= maxLength)
  const plain = sizes.flatMap((length) => ["a".repeat(length), "0".repeat(length)])
  const extras = [0, 1, 2, ...sizes, ...sizes.map((length) => length - 1)].filter((extra) => extra >= 0 && extra < 400)
  const patterned = [...patterns].flatMap((pattern) => textsOf(pattern, [...new Set(extras)]))
  return [...new Set([...patterned, ...plain, ...plainTexts])].filter((text) => {
    const { length } = [...text]
    return length >= least && length <= most && [...patterns].every((pattern) => matches(pattern, text))
  })
}

/** Returns a list with items at given indexes, filled to the required length; `undefined` if that is impossible. */
export const listWith = (
  lists: Lists,
  items: ReadonlyArray<readonly [index: number, item: unknown]>,
  depth: number,
  length = lists.least
): ReadonlyArray<unknown> | undefined => {
  const size = Math.max(length, lists.least, ...items.map(([index]) => index + 1))
  if (size > 1_000) return undefined
  const fixed = new Map(items)
  const list: Array<unknown> = []
  for (let index = 0; index < size; index++) {
    Effort.spend()
    if (fixed.has(index)) list.push(fixed.get(index))
    else {
      const some = samples(itemAt(lists, index), depth + 1)
      if (some.length === 0) return undefined
      list.push(some[lists.isUnique ? index % some.length : 0])
    }
  }
  return list
}

/** Returns lists of an alternative, including some of the given lengths. */
export const listsIn = (lists: Lists, depth: number, lengths: ReadonlyArray<number> = []): ReadonlyArray<unknown> =>
  [lists.least, lists.least + 1, ...lengths, ...(lists.most < 50 ? [lists.most] : [])]
    .filter((length) => length >= lists.least && length <= lists.most)
    .flatMap((length) => {
      const list = listWith(lists, [], depth, length)
      return list === undefined ? [] : [list]
    })

/**
 * Returns an object with the required and the given properties; `undefined` if that is impossible. `full` adds all
 * declared properties; `without` names a property to omit.
 */
export const objectWith = (
  objects: Objects,
  fields: JsonObject,
  depth: number,
  { full = false, without }: { readonly full?: boolean; readonly without?: string } = {}
): JsonObject | undefined => {
  const listed = full && depth < maxDepth ? [...objects.required, ...objects.properties.keys()] : [...objects.required]
  const required: Record<string, unknown> = {}
  for (const name of new Set(listed)) {
    Effort.spend()
    if (name === without || Object.hasOwn(fields, name) || name === "__proto__") continue
    const one = sample(propertyAt(objects, name), depth + 1)
    if (one !== undefined) required[name] = one.value
    else if (objects.required.has(name)) return undefined
  }
  const object: Record<string, unknown> = { ...required, ...fields }
  const more = [...objects.properties.keys(), ...undeclaredNames(objects)].filter((name) => name !== without)
  for (const name of more) {
    Effort.spend()
    if (Object.keys(object).length >= objects.least) break
    const one = Object.hasOwn(object, name) ? undefined : sample(propertyAt(objects, name), depth + 1)
    if (one !== undefined) object[name] = one.value
  }
  return object
}

/** Returns some strings that a schema of property names accepts. */
const namesOf = (term: Term): ReadonlyArray<string> => {
  const form = term.length === 0 ? [] : normal(term)
  if (typeof form === "string") return []
  return form.flatMap((each) => {
    if (each._tag === "Texts") return textsIn(each, [])
    return each._tag === "Values" ? each.values.filter((value) => typeof value === "string") : []
  })
}

/** Returns undeclared property names that an object may have. */
export const undeclaredNames = ({ names, patterns, properties }: Objects): ReadonlyArray<string> => {
  const candidates = [...patterns.keys()]
    .flatMap((pattern) => textsOf(pattern))
    .concat(["extra", "other", "x", "Y", "z9"])
  return [...new Set([...candidates, ...namesOf(names)])].filter(
    (name) => !properties.has(name) && name !== "__proto__" && valid(names, name) !== false
  )
}

const objectsIn = (objects: Objects, depth: number): ReadonlyArray<unknown> =>
  [objectWith(objects, {}, depth), objectWith(objects, {}, depth, { full: true })].filter((one) => one !== undefined)
