/**
 * Validates values against JSON Schema (draft 2020-12), to confirm witnesses of differences between schemas.
 *
 * The result is `undefined` if it depends on an unsupported keyword (`$dynamicRef`, `unevaluated…`), on a dangling
 * reference or a reference to another document, on a pattern that `matches` cannot decide, or on schemas nested more
 * than 300 levels deep.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { assertions, list, matches } from "./Assertions.ts"
import * as Effort from "./Effort.ts"
import { part, type Part, target, type Term } from "./Term.ts"

/** Whether a value is valid; `undefined` if that is undecided. */
type Validity = boolean | undefined

/** The maximum nesting. References may be circular. */
const maxDepth = 300

/** Returns whether a term accepts a value. */
export const valid = (term: Term, value: unknown, depth = 0): Validity =>
  all(term.map((one) => () => validPart(one, value, depth)))

const all = (tests: ReadonlyArray<() => Validity>): Validity => {
  let validity: Validity = true
  for (const test of tests) {
    const one = test()
    if (one === false) return false
    if (one === undefined) validity = undefined
  }
  return validity
}

const opposite = (validity: Validity): Validity => (validity === undefined ? undefined : !validity)

/** Counts the true tests: the minimum and the maximum, because some tests are undecided. */
const count = (validities: ReadonlyArray<Validity>): readonly [least: number, most: number] => [
  validities.filter((one) => one === true).length,
  validities.filter((one) => one !== false).length
]

const within = ([least, most]: readonly [number, number], low: number, high: number): Validity => {
  if (least >= low && most <= high) return true
  return most < low || least > high ? false : undefined
}

/** Whether a value meets a keyword. `constraint` is the keyword's own value, `at` the schema that contains it. */
type Test = (constraint: unknown, value: unknown, at: Part, depth: number) => Validity

const fields = (constraint: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJsonObject(constraint) ? Object.entries(constraint) : []

const undecided: Test = () => undefined

const sub = (at: Part, schema: unknown, value: unknown, depth: number): Validity =>
  valid(part(at.document, schema), value, depth + 1)

const tests: Readonly<Record<string, Test>> = {
  ...assertions,
  $ref: (_, value, at, depth) => {
    const to = target(at)
    return to === undefined || depth > maxDepth ? undefined : valid(to, value, depth + 1)
  },
  prefixItems: (constraint, value, at, depth) =>
    !Array.isArray(value) ||
    all(
      list(constraint)
        .slice(0, value.length)
        .map((schema, index) => () => sub(at, schema, value[index], depth))
    ),
  items: (constraint, value, at, depth) =>
    !Array.isArray(value) ||
    all(value.slice(list(at.node["prefixItems"]).length).map((item) => () => sub(at, constraint, item, depth))),
  contains: (constraint, value, { document, node }, depth) => {
    if (!Array.isArray(value)) return true
    const { maxContains, minContains } = node
    const validities = value.map((item) => valid(part(document, constraint), item, depth + 1))
    return within(
      count(validities),
      typeof minContains === "number" ? minContains : 1,
      typeof maxContains === "number" ? maxContains : Infinity
    )
  },
  properties: (constraint, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(constraint)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([name, schema]) =>
            () =>
              sub(at, schema, value[name], depth)
        )
    ),
  patternProperties: (constraint, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(constraint).flatMap(([pattern, schema]) =>
        Object.entries(value).map(([name, field]) => () => {
          const isNamed = matches(pattern, name)
          if (isNamed === false) return true
          const validity = sub(at, schema, field, depth)
          return isNamed === true || validity === true ? validity : undefined
        })
      )
    ),
  additionalProperties: (constraint, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      Object.keys(value).map((name) => () => {
        const isAdditional = opposite(isCovered(at.node, name))
        if (isAdditional === false) return true
        const validity = sub(at, constraint, value[name], depth)
        return isAdditional === true || validity === true ? validity : undefined
      })
    ),
  propertyNames: (constraint, value, at, depth) =>
    !isJsonObject(value) || all(Object.keys(value).map((name) => () => sub(at, constraint, name, depth))),
  dependentSchemas: (constraint, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(constraint)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([, schema]) =>
            () =>
              sub(at, schema, value, depth)
        )
    ),
  dependencies: (constraint, value, at, depth) =>
    !isJsonObject(value) ||
    all(
      fields(constraint)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(
          ([, needed]) =>
            () =>
              Array.isArray(needed)
                ? needed.every((other) => Object.hasOwn(value, String(other)))
                : sub(at, needed, value, depth)
        )
    ),
  allOf: (constraint, value, at, depth) => all(list(constraint).map((schema) => () => sub(at, schema, value, depth))),
  anyOf: (constraint, value, at, depth) =>
    opposite(all(list(constraint).map((schema) => () => opposite(sub(at, schema, value, depth))))),
  oneOf: (constraint, value, at, depth) =>
    within(count(list(constraint).map((schema) => sub(at, schema, value, depth))), 1, 1),
  not: (constraint, value, at, depth) => opposite(sub(at, constraint, value, depth)),
  if: (constraint, value, at, depth) => {
    const { else: otherwise, then } = at.node
    const [met, unmet] = [then, otherwise].map((schema) =>
      schema === undefined ? true : sub(at, schema, value, depth)
    )
    const condition = sub(at, constraint, value, depth)
    return condition === undefined ? (met === unmet ? met : undefined) : condition ? met : unmet
  },
  unevaluatedItems: undecided,
  unevaluatedProperties: undecided,
  $dynamicRef: undecided,
  $recursiveRef: undecided
}

/** Whether `properties` or `patternProperties` covers a name. */
const isCovered = ({ patternProperties, properties }: JsonObject, name: string): Validity => {
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return true
  return opposite(
    all(
      fields(patternProperties).map(
        ([pattern]) =>
          () =>
            opposite(matches(pattern, name))
      )
    )
  )
}

const validPart = (at: Part, value: unknown, depth: number): Validity => {
  Effort.spend()
  if (depth > maxDepth) return undefined
  return all(
    Object.entries(at.node).flatMap(([keyword, constraint]) => {
      const test = Object.hasOwn(tests, keyword) ? tests[keyword] : undefined
      return test === undefined ? [] : [() => test(constraint, value, at, depth)]
    })
  )
}
