/**
 * Reads an OpenAPI document and resolves its references.
 *
 * **Details**
 *
 * - OpenAPI 3.0, 3.1 and 3.2 are supported. A Swagger 2.0 document is refused with a remedy.
 * - References resolve only within the document, and nothing is fetched. The document is neither copied nor changed.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

/** The error of a document that cannot be used. `pointer` is the JSON Pointer of the fault. */
export class UnusableDocument extends Data.TaggedError("UnusableDocument")<{
  readonly pointer: string
  readonly detail: string
  readonly remedy: string
}> {
  override get message(): string {
    return `The OpenAPI document cannot be used${this.pointer === "" ? "" : `, at ${this.pointer}`}: ${this.detail} ${this.remedy}`
  }
}

/** A part of a document that did not become part of a tool. */
export interface UnsupportedPart {
  /** The JSON Pointer into the document. */
  readonly pointer: string
  readonly reason: string
}

export interface Document {
  readonly root: JsonObject
  /** `3.0` has its own dialect of JSON Schema; later versions use 2020-12. */
  readonly dialect: "3.0" | "2020-12"
}

/** Reads the version and the paths of a document. */
export const read = (source: unknown): Result.Result<Document, UnusableDocument> => {
  if (!isJsonObject(source)) return refuse("", "it is not an object.", "Pass the parsed JSON of the document.")
  if (typeof source["swagger"] === "string") {
    return refuse(
      "/swagger",
      "Swagger 2.0 is not supported.",
      "Convert it to OpenAPI 3, for example with swagger2openapi."
    )
  }
  const fault = faultOf(source)
  if (fault !== undefined) return refuse("", fault, "Pass the parsed JSON of the document.")
  const version = source["openapi"]
  if (typeof version !== "string")
    return refuse("/openapi", "the version is missing.", "Add the field openapi, for example 3.1.0.")
  const minor = /^3\.([0-2])(?:\.|$)/.exec(version)?.[1]
  if (minor === undefined)
    return refuse("/openapi", `its version is not 3.0, 3.1 or 3.2.`, "Convert it to one of these.")
  if (source["paths"] !== undefined && !isJsonObject(source["paths"])) {
    return refuse("/paths", "the paths are not an object.", "Correct the document.")
  }
  return Result.succeed({ root: source, dialect: minor === "0" ? "3.0" : "2020-12" })
}

/** The maximum nesting of a document. */
const maxDepth = 500

/** Returns why a value cannot be traversed as JSON; undefined if it can. */
const faultOf = (source: JsonObject): string | undefined => {
  try {
    JSON.stringify(source)
  } catch {
    return "it cannot be written as JSON: it contains itself, or is nested too deeply."
  }
  const open: Array<readonly [value: object, depth: number]> = [[source, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (depth > maxDepth) return `it is nested deeper than ${maxDepth} levels.`
    for (const inner of Object.values(value)) {
      if (typeof inner === "object" && inner !== null) open.push([inner, depth + 1])
    }
  }
  return undefined
}

const refuse = (pointer: string, detail: string, remedy: string) =>
  Result.fail(new UnusableDocument({ pointer, detail, remedy }))

/** A node and its JSON Pointer. */
export interface Place {
  readonly node: unknown
  readonly pointer: string
}

/** The maximum length of a chain of references. */
const maxChain = 50

/** Follows a chain of references to its target, or returns a sentence that describes the fault. */
export const follow = (document: Document, start: Place): Result.Result<Place, string> => {
  let place = start
  for (let steps = 0; steps <= maxChain; steps++) {
    const reference = isJsonObject(place.node) ? place.node["$ref"] : undefined
    if (typeof reference !== "string") return Result.succeed(place)
    if (!reference.startsWith("#"))
      return Result.fail(`The reference points outside the document: ${shown(reference)}.`)
    const path = JsonPointer.fromReference(reference)
    const found = path && JsonPointer.valueAt(document.root, path)
    if (path === undefined || found === undefined)
      return Result.fail(`The target of the reference does not exist: ${shown(reference)}.`)
    place = { node: found, pointer: JsonPointer.format(path) }
  }
  return Result.fail("The references form a cycle.")
}

const shown = (reference: string): string => JSON.stringify(reference.slice(0, 100))

/** Returns the value of a field if it is a string. */
export const text = (node: unknown, key: string): string | undefined => {
  const value = field(node, key)
  return typeof value === "string" ? value : undefined
}
