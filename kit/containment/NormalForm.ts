/**
 * Computes the normal form of a term: alternatives, each of one JSON type with its constraints.
 *
 * - Finite sets (enums, constants, booleans, null) are alternatives of values, each confirmed by the validator. They are exact.
 * - Constraints that are not analysed (`not`, `if`, `contains`, dependencies, alternatives that exclude each other) become
 *   *opaque* constraints of the alternative, compared by their text. An alternative without opaque constraints is
 *   exact.
 *
 * `kit/lint/reading/Shapes.ts` computes alternatives for lint: approximately, but with the place of each keyword.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { type Alternative, anything, type NormalForm, type Numbers } from "./Alternative.ts"
import { areDisjoint, intersection, isEmpty, whole } from "./Intersection.ts"
import { constraintText } from "./ConstraintText.ts"
import { isAnything } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { isDecided } from "#kit/schema/Assertions"
import { part, type Part, target, type Term } from "#kit/schema/Term"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Effort from "#kit/schema/Effort"
import { valid } from "#kit/schema/Judge"

const known = new WeakMap<JsonObject, NormalForm>()

/** Computes the normal form of a term. */
export const normal = (term: Term): NormalForm => {
  let found: NormalForm = anything
  for (const one of term) {
    const other = normalPart(one, [])
    if (typeof other === "string") return other
    // TypeScript widens the variable in a loop; a string was returned above
    found = intersection(found as ReadonlyArray<Alternative>, other)
    if (typeof found === "string") return found
  }
  return term.length > 1 ? exact(found, term) : found
}

const normalPart = (one: Part, above: ReadonlyArray<JsonObject>): NormalForm => {
  const { node } = one
  const cached = known.get(node)
  if (cached !== undefined) return cached
  if (above.includes(node)) return "it refers only to itself"
  const form = make(one, [...above, node])
  known.set(node, form)
  return form
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const make = (one: Part, above: ReadonlyArray<JsonObject>): NormalForm => {
  Effort.spend()
  const { document, node } = one
  if (isAnything(node["not"])) return []
  if (Object.hasOwn(node, "enum") || Object.hasOwn(node, "const")) return finite(one)
  let found: NormalForm = plain(one)
  const formOf = (term: Term): NormalForm => (term.length === 0 ? anything : normalParts(term, above))
  /** Each term is read after the intersection with the one before it, so that many terms end by their steps. */
  const meetAll = (terms: ReadonlyArray<Term>): void => {
    for (const term of terms) {
      if (typeof found === "string") return
      const form = formOf(term)
      found = typeof form === "string" ? form : intersection(found, form)
    }
  }
  const meetAny = (terms: ReadonlyArray<Term>): void => {
    if (typeof found === "string") return
    const forms = terms.map(formOf)
    const fault = forms.find((form) => typeof form === "string")
    // without a fault no form is a string
    found =
      typeof fault === "string"
        ? fault
        : intersection(found, (forms as ReadonlyArray<ReadonlyArray<Alternative>>).flat())
  }
  if (typeof node["$ref"] === "string") {
    const to = target(one)
    if (to === undefined) return `it refers to ${node["$ref"]}, which does not exist`
    meetAll([to])
  }
  meetAll(list(node["allOf"]).map((schema) => part(document, schema)))
  for (const keyword of ["anyOf", "oneOf"]) {
    if (Array.isArray(node[keyword])) meetAny(list(node[keyword]).map((schema) => part(document, schema)))
  }
  if (typeof found === "string") return found
  if (Array.isArray(node["oneOf"])) {
    const forms = list(node["oneOf"]).map((schema) => normalParts(part(document, schema), above))
    if (!areDisjoint(forms, normal)) found = found.map((each) => withOpaque(each, opaqueText(one, ["oneOf"])))
  }
  return exact(found, [one])
}

const normalParts = (term: Term, above: ReadonlyArray<JsonObject>): NormalForm => {
  const [only, ...more] = term
  if (only === undefined) return anything
  return more.length === 0 ? normalPart(only, above) : normal(term)
}

/** Returns the values of an enum or a constant that the whole node accepts. */
const finite = (one: Part): NormalForm => {
  const { node } = one
  const values = Object.hasOwn(node, "const") ? [node["const"]] : list(node["enum"])
  const validities = values.map((value) => valid([one], value))
  return validities.includes(undefined)
    ? "it is undecided whether it accepts one of its values"
    : [{ _tag: "Values", values: distinct(values.filter((_, index) => validities[index] === true)) }]
}

const distinct = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(values.map((value) => [CallKey.canonical(value), value])).values()
]

/** Keeps the values that the validator accepts. */
const exact = (alternatives: ReadonlyArray<Alternative>, term: Term): NormalForm => {
  const judged = alternatives.map((each): Alternative | undefined => {
    if (each._tag !== "Values") return each
    const validities = each.values.map((value) => valid(term, value))
    return validities.includes(undefined)
      ? undefined
      : { _tag: "Values", values: each.values.filter((_, index) => validities[index] === true) }
  })
  return judged.some((each) => each === undefined)
    ? "it is undecided whether it accepts one of its values"
    : // no element is undefined here
      (judged as ReadonlyArray<Alternative>).filter((each) => !isEmpty(each))
}

/** Constraints that are compared only by their text, and the types that they apply to. */
const opaqueKeywords: ReadonlyArray<readonly [keywords: ReadonlyArray<string>, tag: Alternative["_tag"] | "all"]> = [
  [["not"], "all"],
  [["if", "then", "else"], "all"],
  [["contains", "minContains", "maxContains"], "Lists"],
  [["unevaluatedItems"], "Lists"],
  [["unevaluatedProperties"], "Objects"],
  [["dependentRequired"], "Objects"],
  [["dependentSchemas"], "Objects"],
  [["dependencies"], "Objects"],
  [["$dynamicRef"], "all"],
  [["$recursiveRef"], "all"]
]

/**
 * Returns the text of some keywords of a node. If the keywords contain references, the text includes the whole
 * document.
 */
const opaqueText = ({ document, node }: Part, keywords: ReadonlyArray<string>): string => {
  const own = constraintText(Object.fromEntries(keywords.map((keyword) => [keyword, node[keyword]])))
  return /"\$(?:ref|dynamicRef|recursiveRef)":/.test(own) ? `${own} in ${constraintText(document.root)}` : own
}

const withOpaque = (alternative: Alternative, text: string): Alternative =>
  alternative._tag === "Values" ? alternative : { ...alternative, opaque: new Set([...alternative.opaque, text]) }

const typeNames: Readonly<Record<Alternative["_tag"], ReadonlyArray<string>>> = {
  Values: ["null", "boolean"],
  Numbers: ["number", "integer"],
  Texts: ["string"],
  Lists: ["array"],
  Objects: ["object"]
}

/** Returns the alternatives that a node's keywords describe, except for references, alternatives and conjunctions. */
const plain = (one: Part): ReadonlyArray<Alternative> => {
  const { node } = one
  const types = node["type"] === undefined ? undefined : [node["type"]].flat()
  const excluded = typesAlone(node["not"])
  const isExcluding = excluded.length > 0 && !excluded.includes("integer")
  const opaque = opaqueKeywords
    .filter(([keywords]) =>
      keywords.some((keyword) => Object.hasOwn(node, keyword) && !(keyword === "not" && isExcluding))
    )
    .map(([keywords, tag]) => ({ tag, text: opaqueText(one, keywords) }))
  return anything
    .filter(({ _tag }) => types === undefined || typeNames[_tag].some((name) => types.includes(name)))
    .filter(({ _tag }) => _tag === "Values" || !excluded.includes(typeNames[_tag][0]))
    .map((alternative) => constrained(alternative, one, types))
    .map((alternative) =>
      alternative._tag === "Objects" && hasUndecidedNames(node)
        ? withOpaque(alternative, opaqueText(one, ["properties", "patternProperties", "additionalProperties"]))
        : alternative
    )
    .map((alternative) =>
      opaque.reduce(
        (result, { tag, text }) => (tag === "all" || tag === result._tag ? withOpaque(result, text) : result),
        alternative
      )
    )
}

/** A length that the names of real properties do not reach. */
const longName = 1_000

const undecided = new WeakMap<object, boolean>()

/** True if a pattern for names cannot run on a long name. The properties that it constrains are then unknown. */
const hasUndecidedNames = ({ patternProperties }: JsonObject): boolean => {
  if (!isJsonObject(patternProperties)) return false
  const known =
    undecided.get(patternProperties) ?? !Object.keys(patternProperties).every((pattern) => isDecided(pattern, longName))
  undecided.set(patternProperties, known)
  return known
}

/** Returns the types of a schema that constrains only the type. */
const typesAlone = (schema: unknown): ReadonlyArray<unknown> =>
  isJsonObject(schema) && Object.keys(schema).length === 1 && schema["type"] !== undefined
    ? [schema["type"]].flat()
    : []

const number = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const constrained = (
  alternative: Alternative,
  { document, node }: Part,
  types: ReadonlyArray<unknown> | undefined
): Alternative => {
  switch (alternative._tag) {
    case "Values":
      return alternative
    case "Numbers": {
      const isInteger = types !== undefined && types.includes("integer") && !types.includes("number")
      const multiples = typeof node["multipleOf"] === "number" ? [node["multipleOf"]] : []
      return whole({ ...alternative, isInteger, multiples, ...bounds(node) })
    }
    case "Texts": {
      const patterns = new Set(typeof node["pattern"] === "string" ? [node["pattern"]] : [])
      return {
        ...alternative,
        least: number(node["minLength"], 0),
        most: number(node["maxLength"], Infinity),
        patterns
      }
    }
    case "Lists":
      return {
        ...alternative,
        first: list(node["prefixItems"]).map((schema) => part(document, schema)),
        items: part(document, node["items"]),
        least: number(node["minItems"], 0),
        most: number(node["maxItems"], Infinity),
        isUnique: node["uniqueItems"] === true
      }
    default: {
      const terms = (schemas: unknown) =>
        new Map(
          isJsonObject(schemas) ? Object.entries(schemas).map(([name, schema]) => [name, part(document, schema)]) : []
        )
      return {
        ...alternative,
        properties: terms(node["properties"]),
        patterns: terms(node["patternProperties"]),
        others: part(document, node["additionalProperties"]),
        required: new Set(list(node["required"]).map(String)),
        least: number(node["minProperties"], 0),
        most: number(node["maxProperties"], Infinity),
        names: part(document, node["propertyNames"])
      }
    }
  }
}

/** Returns the stricter of the inclusive and the exclusive bound, on both sides. */
const bounds = (node: JsonObject): Pick<Numbers, "low" | "high" | "isLowOpen" | "isHighOpen"> => {
  const [low, above] = [number(node["minimum"], -Infinity), number(node["exclusiveMinimum"], -Infinity)]
  const [high, below] = [number(node["maximum"], Infinity), number(node["exclusiveMaximum"], Infinity)]
  return {
    low: Math.max(low, above),
    isLowOpen: above >= low && above > -Infinity,
    high: Math.min(high, below),
    isHighOpen: below <= high && below < Infinity
  }
}
