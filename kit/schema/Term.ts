/**
 * JSON Schemas as terms, which can be compared and evaluated. A part is a schema node together with the document to which
 * its references refer.
 *
 * A `Term` is a conjunction of parts: it accepts the values that all of them accept. The documents have finitely many
 * nodes, so a walk over pairs of terms ends even if schemas are recursive.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { annotations } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { type UncheckedConstraint, wellFormed } from "effect-toolguard/internal/domain/schema/foreign/WellFormedSchema"

/** A schema node and its document. */
export interface Part {
  readonly id: number
  readonly node: JsonObject
  readonly document: Document
}

/** A conjunction, sorted, with each part once. An empty conjunction accepts every value. */
export type Term = ReadonlyArray<Part>

interface Document {
  readonly root: JsonObject
  readonly parts: Map<object, Part>
  /** The targets of the references that were followed. */
  readonly targets: Map<string, JsonObject | boolean | undefined>
  /** Shared by the documents that are compared, so that part ids are unique. */
  readonly ids: { next: number }
}

/**
 * Returns a function that opens schemas as terms. Terms from the same function can be compared with each other. `report`
 * receives the constraints that the terms do not have.
 */
export const opener = (report: (unchecked: UncheckedConstraint) => void = () => {}): ((schema: unknown) => Term) => {
  const ids = { next: 0 }
  return (schema) => {
    const { root, targets, unchecked } = read(schema)
    for (const each of unchecked) report(each)
    return part({ root, parts: new Map(), targets, ids }, root)
  }
}

interface ReadSchema {
  readonly root: JsonObject
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
  readonly targets: Document["targets"]
}

/** The schemas that were read, because a comparison reads each schema twice: once for each direction. */
const known = new WeakMap<object, ReadSchema>()

const read = (schema: unknown): ReadSchema => {
  const found = isJsonObject(schema) ? known.get(schema) : undefined
  if (found !== undefined) return found
  const unchecked: Array<UncheckedConstraint> = []
  const made = { root: wellFormed(schema, (each) => void unchecked.push(each)), unchecked, targets: new Map() }
  if (isJsonObject(schema)) known.set(schema, made)
  return made
}

const nothing: JsonObject = { not: {} }

/** Keywords that add no constraint to the reference next to them. */
const silent: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions", ...annotations])

/** The maximum length of a chain of references, because circular references have no end. */
const maxChain = 50

/**
 * Returns a node of a document as a term. `true`, and a value that is not a schema, accept everything; `false` accepts
 * nothing. A reference without other constraints becomes its target.
 */
export const part = (document: Document, value: unknown, chain = 0): Term => {
  if (!isJsonObject(value)) return value === false ? part(document, nothing) : []
  const names = Object.keys(value)
  if (names.length === 0) return []
  if (typeof value["$ref"] === "string" && names.every((name) => silent.has(name)) && chain < maxChain) {
    const to = lookUp(document, value["$ref"])
    if (to !== undefined) return part(document, to, chain + 1)
  }
  const known = document.parts.get(value)
  if (known !== undefined) return [known]
  const made: Part = { id: document.ids.next++, node: value, document }
  document.parts.set(value, made)
  return [made]
}

const constants = new WeakMap<Document, Map<string, JsonObject>>()

/** Returns the term that accepts only one value. */
export const constant = (document: Document, value: unknown): Term => {
  const known = constants.get(document) ?? new Map<string, JsonObject>()
  constants.set(document, known)
  const text = CallKey.canonical(value)
  const node = known.get(text) ?? { const: value }
  known.set(text, node)
  return part(document, node)
}

/** Returns the conjunction of terms. */
export const both = (...terms: ReadonlyArray<Term>): Term => {
  const parts = new Map(terms.flat().map((one) => [one.id, one]))
  return [...parts.values()].sort((a, b) => a.id - b.id)
}

/** Returns the key that identifies a term among the terms of its documents. */
export const keyOf = (term: Term): string => term.map(({ id }) => id).join(",")

/** Returns the target of a reference; `undefined` if it is dangling or outside the document. */
const lookUp = ({ root, targets }: Document, reference: string): JsonObject | boolean | undefined => {
  if (targets.has(reference)) return targets.get(reference)
  const found = JsonPointer.resolve(root, reference)
  const to = isJsonObject(found) || typeof found === "boolean" ? found : undefined
  targets.set(reference, to)
  return to
}

/** Returns the target of a part's `$ref`; `undefined` if it is dangling or outside the document. */
export const target = ({ document, node }: Part): Term | undefined => {
  const to = lookUp(document, String(node["$ref"]))
  return to === undefined ? undefined : part(document, to)
}
