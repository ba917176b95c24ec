/**
 * Judges values by JSON Schema (draft 2020-12). Its verdict decides whether a value may be shown as a witness.
 *
 * `undefined` if a keyword decides that is not judged: references out of the document, `$dynamicRef`, `unevaluated…`.
 */
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { assertions, list, matches } from "./Assertions.ts"
import { part, type Part, target, type Term } from "./Term.ts"

/** True, false, or undecided. */
type Verdict = boolean | undefined

/** Deepest nesting that is judged: references may lead to each other without end. */
const deepest = 300

/** Whether a term accepts a value. */
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

/** How many verdicts are true: at least so many, at most so many. */
const count = (verdicts: ReadonlyArray<Verdict>): readonly [least: number, most: number] => [
  verdicts.filter((one) => one === true).length,
  verdicts.filter((one) => one !== false).length
]

const within = ([least, most]: readonly [number, number], low: number, high: number): Verdict => {
  if (least >= low && most <= high) return true
  return most < low || least > high ? false : undefined
}

/** Whether a value meets a keyword, given the keyword's own value and the schema that it is in. */
type Test = (given: unknown, value: unknown, at: Part, depth: number) => Verdict

const fields = (given: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJsonObject(given) ? Object.entries(given) : []

const undecided: Test = () => undefined

const sub = (at: Part, schema: unknown, value: unknown, depth: number): Verdict =>
  valid(part(at.document, schema), value, depth + 1)

const tests: Readonly<Record<string, Test>> = {
  ...assertions,
  $ref: (_, value, at, depth) => {
    const to = target(at)
    return to === undefined || depth > deepest ? undefined : valid(to, value, depth + 1)
  },
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
  unevaluatedItems: undecided,
  unevaluatedProperties: undecided,
  $dynamicRef: undecided,
  $recursiveRef: undecided
}

/** The names of an object that neither `properties` nor `patternProperties` covers. */
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
