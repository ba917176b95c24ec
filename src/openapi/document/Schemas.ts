/**
 * Takes schemas out of a document: each becomes a JSON Schema of 2020-12 that stands alone, with what it refers to in `$defs`.
 *
 * **Details**
 *
 * - The dialect of OpenAPI 3.0 is written anew: `nullable`, bounds that are flags, `example`.
 * - A request must not send what is `readOnly`, and an answer need not hold what is `writeOnly`.
 * - What says nothing about validity (`xml`, `discriminator`, `externalDocs`, extensions) is left out; where it changes what is
 *   sent or read, it is told.
 * - Schemas that several tools share are converted once, and shared.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { mapSchemas } from "#domain/schema/json/KeywordValue"
import { draft2020, kindOf } from "#domain/schema/json/Keywords"
import * as OlderDialect from "#domain/schema/json/OlderDialect"
import * as Result from "effect/Result"
import { type Document, follow, type Place, type Unsupported } from "./Document.ts"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

export type Direction = "request" | "response"

export interface Schemas {
  /** The schema at a place, standing alone. A reference at its top is replaced by what it leads to, unless that holds itself. */
  readonly alone: (place: Place, direction: Direction) => JsonObject
  /** A schema put together of others that `part` gave, with what these refer to. */
  readonly whole: (schema: JsonObject, direction: Direction) => JsonObject
  /** The schema at a place with references into `$defs`, to be put into a larger one. */
  readonly part: (place: Place, direction: Direction) => JsonObject
}

/** Deepest nesting of a schema that is followed. */
const deepest = 64

/** Most definitions that are held by all tools together, each of which has its own. */
const mostCopies = 100_000

/** Keywords whose schemas are not converted: no reference of a document leads into definitions inside of a schema. */
const verbatim: ReadonlySet<string> = new Set(["$defs", "definitions"])

const left = new Set([
  "xml",
  "discriminator",
  "externalDocs",
  "nullable",
  "example",
  "readOnly",
  "writeOnly",
  "$schema"
])
const told: Readonly<Record<string, string>> = {
  xml: "XML is not written: the value is sent as JSON or as a form.",
  discriminator: "The discriminator is not checked: the alternatives themselves decide.",
  $id: "A base of references inside of a document is not followed.",
  $anchor: "References by an anchor are not followed.",
  $dynamicRef: "Dynamic references are not followed.",
  $dynamicAnchor: "Dynamic references are not followed."
}

interface Definition {
  readonly name: string
  readonly uses: Set<string>
  node: JsonObject
}

/** Schemas of a document. `report` hears what was left out. */
export const make = (document: Document, report: (unsupported: Unsupported) => void): Schemas => {
  const definitions = { request: new Map<string, Definition>(), response: new Map<string, Definition>() }
  /** By name: a name stands for one definition of a direction. */
  const named = { request: new Map<string, Definition>(), response: new Map<string, Definition>() }

  const define = (place: Place, direction: Direction): Definition => {
    const known = definitions[direction].get(place.pointer)
    if (known !== undefined) return known
    const definition: Definition = { name: nameOf(place.pointer, named[direction]), uses: new Set(), node: {} }
    definitions[direction].set(place.pointer, definition)
    named[direction].set(definition.name, definition)
    pending.push(() => {
      definition.node = convert(place, direction, definition.uses, 0)
    })
    return definition
  }

  /** What is to be converted still: one after the other, so that a long chain of references takes no stack. */
  const pending: Array<() => void> = []
  const settled = <A>(made: A): A => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) next()
    return made
  }

  const convert = (place: Place, direction: Direction, uses: Set<string>, depth: number): JsonObject => {
    const { node, pointer } = place
    if (typeof node === "boolean") return node ? {} : { not: {} }
    if (!isJsonObject(node)) {
      report({ pointer, reason: "This is no schema: anything passes." })
      return {}
    }
    if (depth > deepest) {
      report({ pointer, reason: "The schema is nested too deep: anything passes." })
      return {}
    }
    if (typeof node["$ref"] === "string") return reference(place, node, direction, uses, depth)
    return plain(place, node, direction, uses, depth)
  }

  const reference = (
    place: Place,
    node: JsonObject,
    direction: Direction,
    uses: Set<string>,
    depth: number
  ): JsonObject => {
    const target = follow(document, place)
    if (Result.isFailure(target)) {
      report({ pointer: `${place.pointer}/$ref`, reason: target.failure })
      return {}
    }
    const { name } = define(target.success, direction)
    uses.add(name)
    const { $ref: _, ...beside } = node
    const isAlone = document.dialect === "3.0" || Object.keys(beside).length === 0
    return {
      $ref: `#/$defs/${name}`,
      ...(isAlone ? {} : plain({ node: beside, pointer: place.pointer }, beside, direction, uses, depth))
    }
  }

  const plain = (
    place: Place,
    node: JsonObject,
    direction: Direction,
    uses: Set<string>,
    depth: number
  ): JsonObject => {
    const inner = (key: string, value: unknown, pointer: string): unknown => {
      const kind = verbatim.has(key) ? undefined : kindOf(key, draft2020)
      // a boolean is left as it is wherever the compiler takes it
      const isConverted = isJsonObject(value) || kind === "schemas" || (key === "items" && typeof value === "boolean")
      if (kind === undefined || !isConverted) return value
      return mapSchemas(kind, kind.endsWith("by name") ? harmless(value, pointer) : value, (schema, path) =>
        convert({ node: schema, pointer: pointer + JsonPointer.format(path) }, direction, uses, depth + 1)
      )
    }
    const entries: Array<readonly [string, unknown]> = []
    for (const [key, value] of Object.entries(node)) {
      const pointer = `${place.pointer}/${JsonPointer.escape(key)}`
      const reason = Object.hasOwn(told, key) ? told[key] : undefined
      if (reason !== undefined) report({ pointer, reason })
      if (left.has(key) || reason !== undefined || key.startsWith("x-") || key === "__proto__") continue
      entries.push([key, inner(key, value, pointer)])
    }
    return directed(
      node,
      document.dialect === "3.0"
        ? modern(node, Object.fromEntries(entries))
        : example(node, Object.fromEntries(entries)),
      direction
    )
  }

  /** Schemas by name, without one that would become a prototype. */
  const harmless = (value: unknown, pointer: string): unknown => {
    if (!isJsonObject(value) || !Object.hasOwn(value, "__proto__")) return value
    report({ pointer: `${pointer}/__proto__`, reason: "A field of this name is not taken." })
    const { ["__proto__"]: _, ...others } = value
    return others
  }

  /** What must not be sent, or need not be there. */
  const directed = (given: JsonObject, node: JsonObject, direction: Direction): JsonObject => {
    const properties = given["properties"]
    if (!isJsonObject(properties)) return node
    const mark = direction === "request" ? "readOnly" : "writeOnly"
    const marked = Object.keys(properties).filter((name) => targetOf(properties[name])[mark] === true)
    if (marked.length === 0) return node
    const without = new Set(marked)
    const required = node["required"]
    return {
      ...node,
      properties: Object.fromEntries(
        Object.entries(node["properties"] as JsonObject).filter(
          ([name]) => direction === "response" || !without.has(name)
        )
      ),
      ...(Array.isArray(required) ? { required: required.filter((name) => !without.has(String(name))) } : {})
    }
  }

  const targetOf = (value: unknown): JsonObject => {
    const target = follow(document, { node: value, pointer: "" })
    return Result.isSuccess(target) && isJsonObject(target.success.node) ? target.success.node : {}
  }

  /** All that is used, directly or by what is used. */
  const closure = (uses: Iterable<string>, direction: Direction): ReadonlyMap<string, JsonObject> => {
    const found = new Map<string, JsonObject>()
    const open = [...uses]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (found.has(name)) continue
      const definition = named[direction].get(name)
      if (definition === undefined) continue
      found.set(name, definition.node)
      open.push(...definition.uses)
    }
    return found
  }

  let copies = 0
  const withDefinitions = (schema: JsonObject, uses: Iterable<string>, direction: Direction): JsonObject => {
    const found = closure(uses, direction)
    copies += found.size
    if (copies > mostCopies) {
      report({ pointer: "", reason: "Its schemas are too large together: of those that are left, anything passes." })
      return { ...schema, $defs: Object.fromEntries(Array.from(uses, (name) => [name, {}])) }
    }
    return found.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(found) }
  }

  const alone = (place: Place, direction: Direction): JsonObject => {
    const uses = new Set<string>()
    const schema = settled(convert(place, direction, uses, 0))
    const [only] = uses
    if (typeof schema["$ref"] !== "string" || only === undefined || Object.keys(schema).length > 1) {
      return withDefinitions(schema, uses, direction)
    }
    const definition = named[direction].get(only)
    if (definition === undefined || closure(definition.uses, direction).has(only)) {
      return withDefinitions(schema, uses, direction)
    }
    return withDefinitions(definition.node, definition.uses, direction)
  }

  return {
    alone,
    part: (place, direction) => settled(convert(place, direction, new Set(), 0)),
    whole: (schema, direction) => withDefinitions(schema, usedIn(schema), direction)
  }
}

/** The definitions that a schema refers to. */
const usedIn = (node: unknown, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof node !== "object" || node === null) return found
  const name = /^#\/\$defs\/(.+)$/u.exec(String((node as JsonObject)["$ref"] ?? ""))?.[1]
  if (name !== undefined) found.add(name)
  for (const inner of Object.values(node)) usedIn(inner, found)
  return found
}

/** `example` of a document as `examples` of JSON Schema. */
const example = (given: JsonObject, node: JsonObject): JsonObject =>
  given["example"] === undefined || node["examples"] !== undefined ? node : { ...node, examples: [given["example"]] }

/** The dialect of OpenAPI 3.0 in that of 2020-12. */
const modern = (given: JsonObject, node: JsonObject): JsonObject => {
  const made: Record<string, unknown> = { ...example(given, node) }
  OlderDialect.exclusiveBounds(made)
  if (given["nullable"] !== true) return made
  OlderDialect.allowNull(made)
  const isOpen = made["type"] === undefined && made["enum"] === undefined
  return isOpen && (made["allOf"] ?? made["anyOf"] ?? made["oneOf"]) !== undefined
    ? { anyOf: [made, { type: "null" }] }
    : made
}

/** A name for a definition: the last part of its pointer, other than those that are taken. */
const nameOf = (pointer: string, taken: ReadonlyMap<string, unknown>): string => {
  const last = (pointer.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9._-]/g, "_")
  const base = last === "" || last === "__proto__" ? "Schema" : last
  let name = base
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`
  return name
}
