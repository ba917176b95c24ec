/**
 * Extracts schemas from a document. Each becomes a self-contained JSON Schema 2020-12, with the targets of its
 * references in `$defs`.
 *
 * **Details**
 *
 * - The dialect of OpenAPI 3.0 is converted: `nullable`, Boolean bounds, `example`.
 * - Requests must not contain `readOnly` fields, and responses need not contain `writeOnly` fields.
 * - Keywords that do not affect validity (`xml`, `discriminator`, `externalDocs`, extensions) are omitted, and reported
 *   if they affect requests or responses.
 * - Schemas that several tools use are converted once and shared.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { mapSchemas } from "#domain/schema/json/KeywordValue"
import { draft2020, kindOf } from "#domain/schema/json/Keywords"
import { partsOf } from "#domain/json/ValueSize"
import * as OlderDialect from "#domain/schema/json/OlderDialect"
import * as Result from "effect/Result"
import { type Document, follow, type Place, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"

type Direction = "request" | "response"

export interface Schemas {
  /**
   * Returns the self-contained schema at a place. A reference at its root is replaced by its target unless it is
   * recursive.
   */
  readonly alone: (place: Place, direction: Direction) => JsonObject
  /** Adds the definitions to a schema that is composed of schemas from `part`. */
  readonly whole: (schema: JsonObject, direction: Direction) => JsonObject
  /** Returns the schema at a place as a part of a larger schema, with references into its `$defs`. */
  readonly part: (place: Place, direction: Direction) => JsonObject
}

/** The maximum nesting of a schema. */
const maxDepth = 64

/**
 * The maximum number of keywords and values of the definitions of all tools. Each tool has a copy of the definitions
 * that it uses, and compiling 100,000 parts takes less than a second.
 */
const maxParts = 300_000

/**
 * Keywords whose schemas are not converted, because references in a document do not point into a schema's definitions.
 */
const verbatim: ReadonlySet<string> = new Set(["$defs", "definitions"])

/** Keywords that are omitted. */
const omitted = new Set("xml discriminator externalDocs nullable example readOnly writeOnly $schema".split(" "))
/** Keywords that are omitted and reported. */
const reported: Readonly<Record<string, string>> = {
  xml: "XML is not supported: the value is sent as JSON or as a form.",
  discriminator: "The discriminator is not checked: the value must match one of the alternatives.",
  $id: "A base URI inside a document is not supported.",
  $anchor: "References to anchors are not resolved.",
  $dynamicRef: "Dynamic references are not resolved.",
  $dynamicAnchor: "Dynamic references are not resolved."
}

interface Definition {
  readonly name: string
  readonly uses: Set<string>
  node: JsonObject
  /** The number of its keywords and values. */
  parts: number
}

/** Creates the schemas of a document. `report` receives the omitted keywords. */
export const make = (document: Document, report: (unsupported: UnsupportedPart) => void): Schemas => {
  const definitions = { request: new Map<string, Definition>(), response: new Map<string, Definition>() }
  /** Definitions by name and direction. */
  const named = { request: new Map<string, Definition>(), response: new Map<string, Definition>() }

  const define = (place: Place, direction: Direction): Definition => {
    const known = definitions[direction].get(place.pointer)
    if (known !== undefined) return known
    const definition: Definition = {
      name: nameOf(place.pointer, named[direction]),
      uses: new Set(),
      node: {},
      parts: 0
    }
    definitions[direction].set(place.pointer, definition)
    named[direction].set(definition.name, definition)
    pending.push(() => {
      definition.node = convert(place, direction, definition.uses, 0)
      definition.parts = partsOf(definition.node, maxParts)
    })
    return definition
  }

  /**
   * The schemas that are not converted yet. Without this queue, a long chain of references would overflow the stack.
   */
  const pending: Array<() => void> = []
  /** Converts all pending schemas, then returns the value. */
  const completed = <A>(value: A): A => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) next()
    return value
  }

  const convert = (place: Place, direction: Direction, uses: Set<string>, depth: number): JsonObject => {
    const { node, pointer } = place
    if (typeof node === "boolean") return node ? {} : { not: {} }
    if (!isJsonObject(node)) {
      report({ pointer, reason: "This is not a schema: any value is accepted." })
      return {}
    }
    if (depth > maxDepth) {
      report({ pointer, reason: "The schema is nested too deeply: any value is accepted." })
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
    const { $ref: _, ...others } = node
    const isAlone = document.dialect === "3.0" || Object.keys(others).length === 0
    return {
      $ref: `#/$defs/${name}`,
      ...(isAlone ? {} : plain({ node: others, pointer: place.pointer }, others, direction, uses, depth))
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
      // a Boolean schema is kept if the compiler accepts it there
      const isConverted = isJsonObject(value) || kind === "schemas" || (key === "items" && typeof value === "boolean")
      if (kind === undefined || !isConverted) return value
      return mapSchemas(kind, kind.endsWith("by name") ? withoutProto(value, pointer) : value, (schema, path) =>
        convert({ node: schema, pointer: pointer + JsonPointer.format(path) }, direction, uses, depth + 1)
      )
    }
    const entries: Array<readonly [string, unknown]> = []
    for (const [key, value] of Object.entries(node)) {
      const pointer = `${place.pointer}/${JsonPointer.escape(key)}`
      const reason = Object.hasOwn(reported, key) ? reported[key] : undefined
      if (reason !== undefined) report({ pointer, reason })
      if (omitted.has(key) || reason !== undefined || key.startsWith("x-") || key === "__proto__") continue
      entries.push([key, inner(key, value, pointer)])
    }
    return forDirection(
      node,
      document.dialect === "3.0"
        ? toDraft2020(node, Object.fromEntries(entries))
        : example(node, Object.fromEntries(entries)),
      direction
    )
  }

  /** Removes the entry `__proto__` from a map of schemas. */
  const withoutProto = (value: unknown, pointer: string): unknown => {
    if (!isJsonObject(value) || !Object.hasOwn(value, "__proto__")) return value
    report({ pointer: `${pointer}/__proto__`, reason: "A field of this name is not supported." })
    const { ["__proto__"]: _, ...others } = value
    return others
  }

  /** Removes fields that must not be sent, and makes optional those that need not be returned. */
  const forDirection = (original: JsonObject, node: JsonObject, direction: Direction): JsonObject => {
    const properties = original["properties"]
    if (!isJsonObject(properties)) return node
    const mark = direction === "request" ? "readOnly" : "writeOnly"
    const marked = Object.keys(properties).filter((name) => targetOf(properties[name])[mark] === true)
    if (marked.length === 0) return node
    const without = new Set(marked)
    const required = node["required"]
    return {
      ...node,
      properties: Object.fromEntries(
        // converting keeps `properties` an object
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

  /** The number of keywords and values that the definitions of further tools may have. */
  let left = maxParts

  /** Returns all definitions that are used directly or indirectly; `undefined` if they are too large. */
  const closure = (uses: Iterable<string>, direction: Direction): ReadonlyMap<string, Definition> | undefined => {
    const found = new Map<string, Definition>()
    const open = [...uses]
    let parts = 0
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const definition = found.has(name) ? undefined : named[direction].get(name)
      if (definition === undefined) continue
      parts += definition.parts
      if (parts > left) return undefined
      found.set(name, definition)
      open.push(...definition.uses)
    }
    return found
  }

  const withDefinitions = (schema: JsonObject, uses: Iterable<string>, direction: Direction): JsonObject => {
    const found = closure(uses, direction)
    if (found === undefined) {
      // the search itself would take too long for thousands of tools
      left = 0
      report({
        pointer: "",
        reason: "The schemas of the document are too large in total: the remaining schemas accept any value."
      })
      return { ...schema, $defs: Object.fromEntries(Array.from(uses, (name) => [name, {}])) }
    }
    for (const { parts } of found.values()) left -= parts
    return found.size === 0
      ? schema
      : { ...schema, $defs: Object.fromEntries(Array.from(found, ([name, { node }]) => [name, node])) }
  }

  const alone = (place: Place, direction: Direction): JsonObject => {
    const uses = new Set<string>()
    const schema = completed(convert(place, direction, uses, 0))
    const [only] = uses
    if (typeof schema["$ref"] !== "string" || only === undefined || Object.keys(schema).length > 1) {
      return withDefinitions(schema, uses, direction)
    }
    const definition = named[direction].get(only)
    if (definition === undefined || closure(definition.uses, direction)?.has(only) !== false) {
      return withDefinitions(schema, uses, direction)
    }
    return withDefinitions(definition.node, definition.uses, direction)
  }

  return {
    alone,
    part: (place, direction) => completed(convert(place, direction, new Set(), 0)),
    whole: (schema, direction) => withDefinitions(schema, usedIn(schema), direction)
  }
}

/** Returns the names of the definitions that a schema refers to. */
const usedIn = (node: unknown, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof node !== "object" || node === null) return found
  const name = /^#\/\$defs\/(.+)$/u.exec(String(field(node, "$ref") ?? ""))?.[1]
  if (name !== undefined) found.add(name)
  for (const inner of Object.values(node)) usedIn(inner, found)
  return found
}

/** Converts `example` to the `examples` of JSON Schema. */
const example = (original: JsonObject, node: JsonObject): JsonObject =>
  original["example"] === undefined || node["examples"] !== undefined
    ? node
    : { ...node, examples: [original["example"]] }

/** Converts the dialect of OpenAPI 3.0 to 2020-12. */
const toDraft2020 = (original: JsonObject, node: JsonObject): JsonObject => {
  const converted: Record<string, unknown> = { ...example(original, node) }
  OlderDialect.exclusiveBounds(converted)
  if (original["nullable"] !== true) return converted
  OlderDialect.allowNull(converted)
  const isOpen = converted["type"] === undefined && converted["enum"] === undefined
  return isOpen && (converted["allOf"] ?? converted["anyOf"] ?? converted["oneOf"]) !== undefined
    ? { anyOf: [converted, { type: "null" }] }
    : converted
}

/** Returns a unique name for a definition, from the last part of its pointer. */
const nameOf = (pointer: string, taken: ReadonlyMap<string, unknown>): string => {
  const last = (pointer.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9._-]/g, "_")
  const base = last === "" || last === "__proto__" ? "Schema" : last
  let name = base
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`
  return name
}
