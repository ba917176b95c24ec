/**
 * Judges values by JSON Schema (draft 2020-12): the last word on every witness.
 *
 * `undefined` where a keyword decides that is not judged: references out of the document, `$dynamicRef`, `unevaluated…`.
 * Formats are annotations. Lengths count code points.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { part, type Part, target, type Term } from "./Scheme.ts"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

/** True, false, or not to be told. */
export type Verdict = boolean | undefined

/** References that lead to each other without end. */
const deepest = 300

/** Whether a value is what a term accepts. */
export const valid = (term: Term, value: unknown, depth = 0): Verdict =>
  all(term.map((one) => () => validPart(one, value, depth)))

const all = (tests: ReadonlyArray<() => Verdict>): Verdict => {
  let verdict: Verdict = true
  for (const test of tests) {
    const one = test()
    if (one === false) return false
    if (one === undefined) verdict = undefined
  }
  return verdict
}

const opposite = (verdict: Verdict): Verdict => (verdict === undefined ? undefined : !verdict)

/** How many of some tests hold: at least so many, at most so many. */
const count = (tests: ReadonlyArray<Verdict>): readonly [least: number, most: number] => [
  tests.filter((one) => one === true).length,
  tests.filter((one) => one !== false).length
]

const within = ([least, most]: readonly [number, number], low: number, high: number): Verdict => {
  if (least >= low && most <= high) return true
  return most < low || least > high ? false : undefined
}

export const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const isOf = (value: unknown, type: unknown): boolean =>
  type === "integer" ? Number.isInteger(value) : typeOf(value) === type

const equal = (one: unknown, other: unknown): boolean => CallKey.canonical(one) === CallKey.canonical(other)

const patterns = new Map<string, RegExp>()

/** A pattern that is none matches nothing, and is told where tools are linted. */
const compiled = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, "u")
  } catch {
    return /(?!)/u
  }
}

export const matches = (pattern: string, text: string): boolean => {
  const known = patterns.get(pattern) ?? compiled(pattern)
  patterns.set(pattern, known)
  return known.test(text)
}

type Test = (given: unknown, value: unknown, at: Part, depth: number) => Verdict

const list = (given: unknown): ReadonlyArray<unknown> => (Array.isArray(given) ? given : [])
const fields = (given: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJsonObject(given) ? Object.entries(given) : []

const number =
  (holds: (value: number, given: number) => boolean): Test =>
  (given, value) =>
    typeof value !== "number" || typeof given !== "number" || holds(value, given)

const length =
  (holds: (length: number, given: number) => boolean): Test =>
  (given, value) =>
    typeof value !== "string" || typeof given !== "number" || holds([...value].length, given)

const items =
  (holds: (length: number, given: number) => boolean): Test =>
  (given, value) =>
    !Array.isArray(value) || typeof given !== "number" || holds(value.length, given)

const size =
  (holds: (size: number, given: number) => boolean): Test =>
  (given, value) =>
    !isJsonObject(value) || typeof given !== "number" || holds(Object.keys(value).length, given)

const unjudged: Test = () => undefined

const sub = (at: Part, schema: unknown, value: unknown, depth: number): Verdict =>
  valid(part(at.document, schema), value, depth + 1)

const tests: Readonly<Record<string, Test>> = {
  $ref: (_, value, at, depth) => {
    const to = target(at)
    return to === undefined || depth > deepest ? undefined : valid(to, value, depth + 1)
  },
  type: (given, value) => [given].flat().some((type) => isOf(value, type)),
  enum: (given, value) => list(given).some((one) => equal(one, value)),
  const: equal,
  minimum: number((value, given) => value >= given),
  maximum: number((value, given) => value <= given),
  exclusiveMinimum: number((value, given) => value > given),
  exclusiveMaximum: number((value, given) => value < given),
  multipleOf: number((value, given) => Number.isInteger(value / given)),
  minLength: length((own, given) => own >= given),
  maxLength: length((own, given) => own <= given),
  pattern: (given, value) => typeof value !== "string" || typeof given !== "string" || matches(given, value),
  minItems: items((own, given) => own >= given),
  maxItems: items((own, given) => own <= given),
  uniqueItems: (given, value) =>
    given !== true || !Array.isArray(value) || new Set(value.map(CallKey.canonical)).size === value.length,
  minProperties: size((own, given) => own >= given),
  maxProperties: size((own, given) => own <= given),
  required: (given, value) => !isJsonObject(value) || list(given).every((name) => Object.hasOwn(value, String(name))),
  prefixItems: (given, value, at, depth) =>
    !Array.isArray(value) ||
    all(
      list(given)
        .slice(0, value.length)
        .map((schema, index) => () => sub(at, schema, value[index], depth))
    ),
  items: (given, value, at, depth) =>
    !Array.isArray(value) ||
    all(value.slice(list(at.node["prefixItems"]).length).map((item) => () => sub(at, given, item, depth))),
  contains: (given, value, { document, node }, depth) => {
    if (!Array.isArray(value)) return true
    const { maxContains, minContains } = node
    const held = value.map((item) => valid(part(document, given), item, depth + 1))
    return within(
      count(held),
      typeof minContains === "number" ? minContains : 1,
      typeof maxContains === "number" ? maxContains : Infinity
    )
  },
  properties: (given, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(given)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([name, schema]) =>
            () =>
              sub(at, schema, value[name], depth)
        )
    ),
  patternProperties: (given, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(given).flatMap(([pattern, schema]) =>
        Object.entries(value)
          .filter(([name]) => matches(pattern, name))
          .map(
            ([, field]) =>
              () =>
                sub(at, schema, field, depth)
          )
      )
    ),
  additionalProperties: (given, value, at, depth) =>
    !isJsonObject(value) || all(additional(at.node, value).map((name) => () => sub(at, given, value[name], depth))),
  propertyNames: (given, value, at, depth) =>
    !isJsonObject(value) || all(Object.keys(value).map((name) => () => sub(at, given, name, depth))),
  dependentRequired: (given, value) =>
    !isJsonObject(value) ||
    fields(given).every(
      ([name, needed]) =>
        !Object.hasOwn(value, name) || list(needed).every((other) => Object.hasOwn(value, String(other)))
    ),
  dependentSchemas: (given, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(given)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([, schema]) =>
            () =>
              sub(at, schema, value, depth)
        )
    ),
  dependencies: (given, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(given)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([, needed]) =>
            () =>
              Array.isArray(needed)
                ? needed.every((other) => Object.hasOwn(value, String(other)))
                : sub(at, needed, value, depth)
        )
    ),
  allOf: (given, value, at, depth) => all(list(given).map((schema) => () => sub(at, schema, value, depth))),
  anyOf: (given, value, at, depth) =>
    opposite(all(list(given).map((schema) => () => opposite(sub(at, schema, value, depth))))),
  oneOf: (given, value, at, depth) => within(count(list(given).map((schema) => sub(at, schema, value, depth))), 1, 1),
  not: (given, value, at, depth) => opposite(sub(at, given, value, depth)),
  if: (given, value, at, depth) => {
    const { else: otherwise, then } = at.node
    const [met, unmet] = [then, otherwise].map((schema) =>
      schema === undefined ? true : sub(at, schema, value, depth)
    )
    const condition = sub(at, given, value, depth)
    return condition === undefined ? (met === unmet ? met : undefined) : condition ? met : unmet
  },
  unevaluatedItems: unjudged,
  unevaluatedProperties: unjudged,
  $dynamicRef: unjudged,
  $recursiveRef: unjudged
}

/** The names of an object that neither `properties` nor `patternProperties` speak of. */
const additional = ({ patternProperties, properties }: JsonObject, value: JsonObject): ReadonlyArray<string> =>
  Object.keys(value).filter(
    (name) =>
      !(isJsonObject(properties) && Object.hasOwn(properties, name)) &&
      !fields(patternProperties).some(([pattern]) => matches(pattern, name))
  )

const validPart = (at: Part, value: unknown, depth: number): Verdict =>
  depth > deepest
    ? undefined
    : all(
        Object.entries(at.node).flatMap(([keyword, given]) => {
          const test = Object.hasOwn(tests, keyword) ? tests[keyword] : undefined
          return test === undefined ? [] : [() => test(given, value, at, depth)]
        })
      )
