/**
 * Finds the node of a schema that a path of a value leads to.
 *
 * A place is a path in the schema: it names fields, the items of lists, the values of records, and the members of
 * unions. Faults of all items of a list, and of all values of a record, have the same place.
 *
 * The schema is in the form that its author maintains, and the value is JSON. Where the JSON of a node has a schema
 * other than the node itself, as for an `Option`, a `HashMap` or a converted value, the place has the step `Form`.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import * as Result from "effect/Result"
import { isJsonObject } from "#domain/json/JsonObject"
import * as FieldPath from "#domain/text/FieldPath"
import { fromIssue, resultOptions } from "#domain/schema/IssueWalk"

/** One step from a node of a schema to a node inside it. */
type Step =
  | { readonly _tag: "Field"; readonly name: string }
  /** An item with its own schema, by its index. */
  | { readonly _tag: "Element"; readonly index: number }
  | { readonly _tag: "Items" }
  /** A value of a record. `index` is the index of the signature, if it is not the first. */
  | { readonly _tag: "Values"; readonly index?: number }
  /** From a converted or declared value to the schema of its JSON. */
  | { readonly _tag: "Form" }
  /** A member of a union, by its index. */
  | { readonly _tag: "Member"; readonly index: number }

/** The path from the root of a schema to a node. */
export type Place = ReadonlyArray<Step>

/** A place that a path of a value leads to, and its node. */
interface FoundNode {
  readonly place: Place
  readonly node: SchemaAST.AST
}

/** Resolves a suspended node. Returns any other node unchanged. */
export const resolved = (ast: SchemaAST.AST): SchemaAST.AST => {
  let node = ast
  for (let depth = 0; node._tag === "Suspend" && depth < 16; depth++) node = node.thunk()
  return node
}

/** Returns the schema of the JSON of a converted value or of a declared type; `undefined` for any other node. */
export const formOf = (node: SchemaAST.AST): SchemaAST.AST | undefined => {
  if (node.encoding !== undefined) return node.encoding.at(-1)?.to
  if (node._tag !== "Declaration") return undefined
  const linkOf = node.annotations?.["toCodecJson"] ?? node.annotations?.["toCodec"]
  if (typeof linkOf !== "function") return undefined
  // Effect passes the schemas of the type parameters to this annotation
  const link = linkOf(node.typeParameters.map((type) => Schema.make(type))) as SchemaAST.Link | undefined
  return link?.to
}

/**
 * Returns the type parameter whose JSON is also the JSON of a declared type, such as a `Redacted`; `undefined` for any
 * other node.
 */
export const soleParameter = (node: SchemaAST.AST): SchemaAST.AST | undefined => {
  if (node._tag !== "Declaration" || node.encoding !== undefined) return undefined
  const form = formOf(node)
  return node.typeParameters.find((type) => type === form)
}

const decoders = new WeakMap<SchemaAST.AST, (value: unknown) => number>()

/**
 * Returns the number of ways in which a value violates a node's schema; 0 if it conforms. A schema that throws counts
 * as one fault.
 */
const faultsIn = (node: SchemaAST.AST, value: unknown): number => {
  let count = decoders.get(node)
  if (count === undefined) {
    // the type of a node is known only at run time
    const codec = Schema.toCodecJson(Schema.make(node) as Schema.Codec<unknown, unknown>)
    const decode = SchemaParser.decodeUnknownResult(codec, resultOptions)
    count = (input) => {
      try {
        const decoded = decode(input)
        return Result.isSuccess(decoded) ? 0 : fromIssue(decoded.failure).length
      } catch {
        return 1
      }
    }
    decoders.set(node, count)
  }
  return count(value)
}

/** True if a value conforms to a node. */
export const conforms = (node: SchemaAST.AST, value: unknown): boolean => faultsIn(node, value) === 0

/** Returns the JSON type that a node with inner nodes accepts; `any` for a union. */
const containerOf = (node: SchemaAST.AST): "array" | "object" | "any" | undefined => {
  const form = formOf(node)
  if (form !== undefined) return containerOf(resolved(form))
  if (node._tag === "Union") return "any"
  return node._tag === "Objects" ? "object" : node._tag === "Arrays" ? "array" : undefined
}

/** Returns the index of the member of a union that a value fits best: the first member with the fewest faults. */
const bestMember = (union: SchemaAST.Union, value: unknown): number | undefined => {
  const type = Array.isArray(value) ? "array" : isJsonObject(value) ? "object" : undefined
  let best: { readonly index: number; readonly faults: number } | undefined
  for (const [index, member] of union.types.entries()) {
    const container = containerOf(resolved(member))
    if (container !== "any" && container !== type) continue
    const faults = faultsIn(member, value)
    if (best === undefined || faults < best.faults) best = { index, faults }
  }
  return best?.index
}

/** Returns the node, or the member of a union that a value fits best. */
export const memberFor = (node: SchemaAST.AST, value: unknown): SchemaAST.AST => {
  let member = node
  for (let depth = 0; member._tag === "Union" && depth < 16; depth++) {
    const index = bestMember(member, value)
    if (index === undefined) return member
    member = resolved(member.types[index]!)
  }
  return member
}

/** Returns the step and the inner node for one key of a value. */
const inside = (node: SchemaAST.AST, key: PropertyKey): readonly [Step, SchemaAST.AST] | undefined => {
  if (node._tag === "Arrays" && typeof key === "number") {
    const element = node.elements[key]
    if (element !== undefined) return [{ _tag: "Element", index: key }, element]
    const [items, ...last] = node.rest
    return items === undefined || last.length > 0 ? undefined : [{ _tag: "Items" }, items]
  }
  if (node._tag !== "Objects") return undefined
  const own = node.propertySignatures.find(({ name }) => name === key)
  if (own !== undefined) return [{ _tag: "Field", name: String(key) }, own.type]
  const index = node.indexSignatures.findIndex(({ parameter }) => conforms(parameter, key))
  const values = node.indexSignatures[Math.max(index, 0)]
  return values === undefined ? undefined : [{ _tag: "Values", ...(index > 0 ? { index } : {}) }, values.type]
}

const valueIn = (value: unknown, key: PropertyKey): unknown =>
  // any object can be read by key
  typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined

/** Returns the value at a path; `undefined` if there is none. */
export const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(valueIn, value)

/**
 * Returns the place of a path in a value, and its node. Returns `undefined` if the schema has no node there, for
 * example inside a text that contains JSON.
 *
 * A path through a recursive schema leads to the first of the equal nodes, so faults at all depths have one place.
 */
export const find = (
  schema: SchemaAST.AST,
  value: unknown,
  path: ReadonlyArray<PropertyKey>
): FoundNode | undefined => {
  let place: Array<Step> = []
  let node = resolved(schema)
  let at = value
  const passed = [{ node, length: 0 }]
  const enter = (inner: SchemaAST.AST): void => {
    node = resolved(inner)
    const first = inner._tag === "Suspend" ? passed.find((one) => one.node === node) : undefined
    if (first === undefined) passed.push({ node, length: place.length })
    else place = place.slice(0, first.length)
  }
  for (const key of path) {
    for (let depth = 0; depth < 32; depth++) {
      const form = formOf(node)
      if (form !== undefined) {
        place.push({ _tag: "Form" })
        enter(form)
        continue
      }
      if (node._tag !== "Union") break
      const index = bestMember(node, at)
      if (index === undefined) return undefined
      place.push({ _tag: "Member", index })
      enter(node.types[index]!)
    }
    const next = inside(node, key)
    if (next === undefined) return undefined
    place.push(next[0])
    enter(next[1])
    at = valueIn(at, key)
  }
  return { place, node }
}

/** Returns the node at a place; `undefined` if the schema has none. */
export const nodeAt = (schema: SchemaAST.AST, place: Place): SchemaAST.AST | undefined => {
  let node: SchemaAST.AST | undefined = resolved(schema)
  for (const step of place) {
    const inner: SchemaAST.AST | undefined = node === undefined ? undefined : innerOf(node, step)
    node = inner === undefined ? undefined : resolved(inner)
  }
  return node
}

/** Returns the node that one step leads to. */
export const innerOf = (node: SchemaAST.AST, step: Step): SchemaAST.AST | undefined => {
  switch (step._tag) {
    case "Field":
      return node._tag === "Objects" ? node.propertySignatures.find(({ name }) => name === step.name)?.type : undefined
    case "Values":
      return node._tag === "Objects" ? node.indexSignatures[step.index ?? 0]?.type : undefined
    case "Form":
      return formOf(node)
    case "Element":
      return node._tag === "Arrays" ? node.elements[step.index] : undefined
    case "Items":
      return node._tag === "Arrays" ? node.rest[0] : undefined
    case "Member":
      return node._tag === "Union" ? node.types[step.index] : undefined
  }
}

/** Returns a path with `[]` in place of the index of each list item. */
export const general = (path: ReadonlyArray<PropertyKey>): ReadonlyArray<PropertyKey> =>
  path.map((key) => (typeof key === "number" ? FieldPath.anyIndex : key))

/** Returns a place as a path of fields, with `[]` for all items of a list and `*` for all names of a record. */
export const pathOf = (place: Place): ReadonlyArray<PropertyKey> =>
  place.flatMap((step): ReadonlyArray<PropertyKey> => {
    switch (step._tag) {
      case "Field":
        return [step.name]
      case "Element":
        return [step.index]
      case "Items":
        return [FieldPath.anyIndex]
      case "Values":
        return [FieldPath.anyName]
      case "Member":
      case "Form":
        return []
    }
  })
