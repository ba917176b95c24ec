/**
 * Estimates the work of merging a schema's `allOf`. Each reference in an `allOf` is replaced by its target, so a chain
 * of definitions that each refer twice to the next doubles the work at every step.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import { definitionOf } from "./References.ts"

type Node = Readonly<Record<string, unknown>>

/** The maximum number of schemas that a merge may visit. Real schemas need far fewer visits. */
const maxVisits = 100_000

/** True if merging would visit too many schemas. */
export const isTooCostly = (root: Node): boolean => {
  const definitions = isJsonObject(root["$defs"]) ? root["$defs"] : {}
  const known = new Map<string, number>()
  const costOfReference = (reference: unknown): number => {
    const definition = definitionOf(reference, definitions)
    if (definition === undefined) return 1
    const [name, schema] = definition
    const weight = known.get(name)
    if (weight !== undefined) return weight
    // A definition that contains itself is not expanded again.
    known.set(name, 1)
    const found = of(schema)
    known.set(name, found)
    return found
  }
  const of = (node: unknown, isMerged = false): number => {
    if (typeof node !== "object" || node === null) return 0
    const { $ref, allOf, ...rest } = node as Node
    const others = Object.values(rest)
    const isReplaced = typeof $ref === "string" && (isMerged || others.length > 0)
    let weight = 1 + (isReplaced ? costOfReference($ref) : 0)
    // Each schema is merged with the result of those before it.
    const parts: ReadonlyArray<unknown> = Array.isArray(allOf) ? allOf : []
    weight += parts.length ** 2
    for (const each of parts) weight += of(each, true)
    for (const each of others) weight += of(each)
    return weight
  }
  try {
    return of(root) > maxVisits
  } catch {
    // The schema is nested more deeply than the stack allows.
    return true
  }
}
