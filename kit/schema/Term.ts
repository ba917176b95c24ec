/**
 * JSON Schemas to be compared, as parts that keep their identity: a schema node together with the document that it refers
 * into.
 *
 * A `Term` is a conjunction of parts: what all of them accept. Terms are made of the finitely many nodes of two documents,
 * so that a walk over pairs of terms ends, recursion and all.
 */
import * as CallKey from "effect-toolguard/internal/domain/call/CallKey"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as JsonPointer from "effect-toolguard/internal/domain/json/JsonPointer"
import { annotations } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { wellFormed } from "effect-toolguard/internal/domain/schema/foreign/WellFormedSchema"

export interface Part {
  readonly id: number
  readonly node: JsonObject
  readonly document: Document
}

/** A conjunction; an empty one accepts everything. Sorted, each part once. */
export type Term = ReadonlyArray<Part>

export interface Document {
  readonly root: JsonObject
  readonly parts: Map<object, Part>
  /** Shared by the documents that are compared, so that no two parts have one id. */
  readonly ids: { next: number }
}

/** Opens documents that can be compared with each other. */
export const opener = (): ((schema: unknown) => Term) => {
  const ids = { next: 0 }
  return (schema) => {
    const root = wellFormed(schema, () => {})
    return part({ root, parts: new Map(), ids }, root)
  }
}

const nothing: JsonObject = { not: {} }

/** Keywords beside a reference that demand nothing. */
const silent: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions", ...annotations])

/** References that lead to references without end. */
const longestChain = 50

/**
 * A node of a document as a term. `true` and what is no schema accept everything, `false` nothing; a bare reference is what
 * it leads to.
 */
export const part = (document: Document, value: unknown, chain = 0): Term => {
  if (!isJsonObject(value)) return value === false ? part(document, nothing) : []
  const names = Object.keys(value)
  if (names.length === 0) return []
  if (typeof value["$ref"] === "string" && names.every((name) => silent.has(name)) && chain < longestChain) {
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

/** The term of one value alone. */
export const constant = (document: Document, value: unknown): Term => {
  const known = constants.get(document) ?? new Map<string, JsonObject>()
  constants.set(document, known)
  const text = CallKey.canonical(value)
  const node = known.get(text) ?? { const: value }
  known.set(text, node)
  return part(document, node)
}

/** What all of some terms accept. */
export const both = (...terms: ReadonlyArray<Term>): Term => {
  const parts = new Map(terms.flat().map((one) => [one.id, one]))
  return [...parts.values()].sort((a, b) => a.id - b.id)
}

/** The name of a term among those of its documents. */
export const keyOf = (term: Term): string => term.map(({ id }) => id).join(",")

/** What a reference leads to; undefined where it leads out of the document or nowhere. */
const lookUp = ({ root }: Document, reference: string): JsonObject | boolean | undefined => {
  const to = JsonPointer.resolve(root, reference)
  return isJsonObject(to) || typeof to === "boolean" ? to : undefined
}

/** What a part's `$ref` leads to. */
export const target = ({ document, node }: Part): Term | undefined => {
  const to = lookUp(document, String(node["$ref"]))
  return to === undefined ? undefined : part(document, to)
}
