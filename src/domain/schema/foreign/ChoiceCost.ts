/**
 * Finds the choices of a schema (`anyOf`, `oneOf`) that would make validation take exponential time, and omits them.
 *
 * Alternatives are *alike* if a value can belong to several of them by its type and by discriminators, which are required
 * properties with one value. A value is compared with all alike alternatives, and its properties are compared again with
 * all alike alternatives of their schemas. Two kinds of choices therefore cost too much:
 *
 * - a choice with two alike alternatives that lead back to it by references: each level of a value doubles the work;
 * - a choice that has more than `maxPaths` alike alternatives, including the alike alternatives inside them.
 */
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as JsonPointer from "#domain/json/JsonPointer"
import { schemasIn } from "#domain/schema/json/KeywordValue"
import { definitionOf } from "./References.ts"
import { rewritten, type UncheckedConstraint } from "./WellFormedSchema.ts"

type Node = Record<string, unknown>

/** The maximum number of comparisons of one part of a value. */
const maxPaths = 1_000

/** The maximum depth of schemas and references that are followed. */
const maxDepth = 500

/** The maximum number of references that are followed to find the type of an alternative. */
const maxReferences = 20

/** The maximum number of required properties that may distinguish alternatives. */
const maxTags = 100

const choices = ["anyOf", "oneOf"]

/** The keywords that have other schemas for a value or its parts, each with its kind. */
const others = rewritten.filter(([keyword]) => keyword !== "$defs" && !choices.includes(keyword))

/**
 * The cost of a schema: the number of comparisons of one part of a value, and the open definitions to which it leads
 * back.
 */
interface Cost {
  readonly paths: number
  readonly back: ReadonlySet<string>
}

/** Removes the choices that cost too much, in place. References must point to `$defs`. */
export const omit = (root: Node, report: (unchecked: UncheckedConstraint) => void): void => {
  const definitions = isJsonObject(root["$defs"]) ? root["$defs"] : {}
  const known = new Map<string, Cost>()
  const open = new Set<string>()
  const costOfDefinition = (name: string, depth: number): Cost => {
    if (open.has(name)) return { paths: 1, back: new Set([name]) }
    const found = known.get(name)
    if (found !== undefined)
      return { paths: found.paths, back: new Set([...found.back].filter((each) => open.has(each))) }
    open.add(name)
    const cost = costOf(definitions[name], `/$defs/${JsonPointer.escape(name)}`, depth + 1)
    open.delete(name)
    const own = { paths: cost.paths, back: new Set([...cost.back].filter((each) => each !== name)) }
    known.set(name, own)
    return own
  }

  const costOf = (value: unknown, pointer: string, depth: number): Cost => {
    if (!isJsonObject(value)) return { paths: 1, back: new Set() }
    // a choice that contains a schema too deep to inspect counts as too expensive
    if (depth > maxDepth) return { paths: maxPaths + 1, back: new Set() }
    // `wellFormed` has made the copy that is changed here.
    const node = value as Node
    const back = new Set<string>()
    let inner = 1
    let same = 0
    const add = (cost: Cost): number => {
      for (const name of cost.back) back.add(name)
      return cost.paths
    }
    for (const [keyword, kind] of others) {
      if (!Object.hasOwn(node, keyword)) continue
      for (const [schema, path] of schemasIn(kind, node[keyword])) {
        const paths = add(costOf(schema, `${pointer}${JsonPointer.format([keyword, ...path])}`, depth + 1))
        if (keyword === "allOf") same += paths
        else inner = Math.max(inner, paths)
      }
    }
    const definition = definitionOf(node["$ref"], definitions)
    if (definition !== undefined) same += add(costOfDefinition(definition[0], depth))
    for (const keyword of choices) {
      if (!Array.isArray(node[keyword])) continue
      const alternatives = node[keyword].map((each: unknown, index) => ({
        ...costOf(each, `${pointer}/${keyword}/${index}`, depth + 1),
        node: target(each, definitions)
      }))
      const groups = alikeGroups(alternatives)
      const paths = Math.max(...groups.map((group) => group.reduce((sum, each) => sum + each.paths, 0)))
      const isDoubling = groups.some((group) => group.filter(({ back }) => back.size > 0).length > 1)
      if (isDoubling || paths > maxPaths) {
        delete node[keyword]
        report({ pointer: `${pointer}/${keyword}`, reason: "its alternatives take too many steps to compare" })
        continue
      }
      for (const alternative of alternatives) add(alternative)
      same += paths
    }
    return { paths: Math.max(inner, same), back }
  }

  costOf(root, "", 0)
  for (const name of Object.keys(definitions)) costOfDefinition(name, 0)
}

/** Returns the schema to which a chain of references leads. */
const target = (value: unknown, definitions: Readonly<Node>, steps = 0): JsonObject => {
  const node = isJsonObject(value) ? value : {}
  const next = definitionOf(node["$ref"], definitions)
  return next === undefined || steps === maxReferences ? node : target(next[1], definitions, steps + 1)
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

const allTypes = ["array", "boolean", "null", "number", "object", "string"]

/** Returns the types of values that a schema may accept. */
const typesOf = (node: JsonObject): ReadonlyArray<unknown> => {
  if (Object.hasOwn(node, "const")) return [typeOf(node["const"])]
  if (Array.isArray(node["enum"])) return [...new Set(node["enum"].map(typeOf))]
  if (node["type"] === undefined) return allTypes
  return [node["type"]].flat().map((type) => (type === "integer" ? "number" : type))
}

interface Alternative extends Cost {
  /** The schema to which its references lead. */
  readonly node: JsonObject
}

/** Returns the alternatives that are alike, by type. */
const alikeGroups = (alternatives: ReadonlyArray<Alternative>): ReadonlyArray<ReadonlyArray<Alternative>> =>
  allTypes.flatMap((type) => {
    const group = alternatives.filter(({ node }) => typesOf(node).includes(type))
    const isDiscriminated = type === "object" && areDiscriminated(group.map(({ node }) => node))
    return isDiscriminated ? group.map((each) => [each]) : [group]
  })

/** True if a required property has exactly one value in each alternative, and all these values differ. */
const areDiscriminated = (alternatives: ReadonlyArray<JsonObject>): boolean => {
  const required = alternatives[0]?.["required"]
  if (!Array.isArray(required)) return false
  return required.slice(0, maxTags).some((name) => {
    const values = alternatives.map((each) => {
      const isRequired = Array.isArray(each["required"]) && each["required"].includes(name)
      return isRequired ? literalAt(each, name) : undefined
    })
    return !values.includes(undefined) && new Set(values).size === values.length
  })
}

const literalAt = ({ properties }: JsonObject, name: unknown): unknown => {
  const schema = field(properties, String(name))
  if (!isJsonObject(schema)) return undefined
  if (Object.hasOwn(schema, "const")) return schema["const"]
  return Array.isArray(schema["enum"]) && schema["enum"].length === 1 ? schema["enum"][0] : undefined
}
