/**
 * Extracts schemas from a document: each becomes a self-contained JSON Schema 2020-12, with its references in `$defs`.
 *
 * **Details**
 *
 * - The dialect of OpenAPI 3.0 is converted: `nullable`, Boolean bounds, `example`.
 * - Requests must not contain `readOnly` fields, and responses need not contain `writeOnly` ones.
 * - Keywords without effect on validity (`xml`, `discriminator`, `externalDocs`, extensions) are left out, and reported if they
 *   change what is sent or read.
 * - Schemas that several tools share are converted once, and shared.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { mapSchemas } from "#domain/schema/json/KeywordValue"
import { draft2020, kindOf } from "#domain/schema/json/Keywords"
import * as OlderDialect from "#domain/schema/json/OlderDialect"
import * as Result from "effect/Result"
import { type Document, follow, type Place, type Unsupported } from "./Document.ts"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

type Direction = "request" | "response"

export interface Schemas {
  /** The self-contained schema at a place. A reference at its root is replaced by its target, unless that is recursive. */
  readonly alone: (place: Place, direction: Direction) => JsonObject
  /** A schema composed of schemas from `part`, with their definitions. */
  readonly whole: (schema: JsonObject, direction: Direction) => JsonObject
  /** The schema at a place, with references into `$defs`, for a larger schema. */
  readonly part: (place: Place, direction: Direction) => JsonObject
}

/** The maximum nesting of a schema. */
const deepest = 64

/** The maximum number of definitions in all tools together, each of which has its own copy. */
const mostCopies = 100_000

/** Keywords whose schemas are not converted: references in a document do not lead into definitions inside a schema. */
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
  xml: "XML is not supported: the value is sent as JSON or as a form.",
  discriminator: "The discriminator is not checked: the alternatives decide.",
  $id: "A base URI inside a document is not supported.",
  $anchor: "References to anchors are not resolved.",
  $dynamicRef: "Dynamic references are not resolved.",
  $dynamicAnchor: "Dynamic references are not resolved."
}

interface Definition {
  readonly name: string
  readonly uses: Set<string>
  node: JsonObject
}

/** The schemas of a document. `report` receives what was left out. */
export const make = (document: Document, report: (unsupported: Unsupported) => void): Schemas => {
  const definitions = { request: new Map<string, Definition>(), response: new Map<string, Definition>() }
  /** Definitions by name and direction. */
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

  /** The schemas still to convert, one at a time, so that a long chain of references needs no stack. */
  const pending: Array<() => void> = []
  const settled = <A>(made: A): A => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) next()
    return made
  }

  const convert = (place: Place, direction: Direction, uses: Set<string>, depth: number): JsonObject => {
    const { node, pointer } = place
    if (typeof node === "boolean") return node ? {} : { not: {} }
    if (!isJsonObject(node)) {
      report({ pointer, reason: "This is not a schema: any value passes." })
      return {}
    }
    if (depth > deepest) {
      report({ pointer, reason: "The schema is nested too deeply: any value passes." })
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
      // a Boolean schema is kept wherever the compiler accepts it
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

  /** Schemas by name, without `__proto__`. */
  const harmless = (value: unknown, pointer: string): unknown => {
    if (!isJsonObject(value) || !Object.hasOwn(value, "__proto__")) return value
    report({ pointer: `${pointer}/__proto__`, reason: "A field of this name is not supported." })
    const { ["__proto__"]: _, ...others } = value
    return others
  }

  /** Fields that must not be sent or need not be present. */
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

  /** All definitions that are used, directly or indirectly. */
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
      report({
        pointer: "",
        reason: "The document's schemas are too large together: the remaining ones accept any value."
      })
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

/** Converts `example` to the `examples` of JSON Schema. */
const example = (given: JsonObject, node: JsonObject): JsonObject =>
  given["example"] === undefined || node["examples"] !== undefined ? node : { ...node, examples: [given["example"]] }

/** Converts the dialect of OpenAPI 3.0 to 2020-12. */
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

/** A unique name for a definition: the last part of its pointer. */
const nameOf = (pointer: string, taken: ReadonlyMap<string, unknown>): string => {
  const last = (pointer.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9._-]/g, "_")
  const base = last === "" || last === "__proto__" ? "Schema" : last
  let name = base
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`
  return name
}
