/**
 * An OpenAPI document as it was given: its version, and what its references lead to.
 *
 * **Details**
 *
 * - OpenAPI 3.0, 3.1 and 3.2 are read. A document of Swagger 2.0 is refused with what to do.
 * - References lead within the document alone: nothing is fetched. Nothing of it is copied or changed.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

/** A document that no tools can be made of. `pointer`: where, as JSON Pointer. */
export class UnusableDocument extends Data.TaggedError("UnusableDocument")<{
  readonly pointer: string
  readonly detail: string
  readonly remedy: string
}> {
  override get message(): string {
    return `The OpenAPI document cannot be used${this.pointer === "" ? "" : `, at ${this.pointer}`}: ${this.detail} ${this.remedy}`
  }
}

/** A part of a document that became no part of a tool. */
export interface Unsupported {
  /** JSON Pointer into the document. */
  readonly pointer: string
  readonly reason: string
}

export interface Document {
  readonly root: JsonObject
  /** `3.0` has a dialect of JSON Schema of its own; later versions have 2020-12. */
  readonly dialect: "3.0" | "2020-12"
}

/** Reads what a document says of itself. */
export const read = (given: unknown): Result.Result<Document, UnusableDocument> => {
  if (!isJsonObject(given)) return refuse("", "it is no object.", "Give the parsed JSON of the document.")
  if (typeof given["swagger"] === "string") {
    return refuse("/swagger", "Swagger 2.0 is not read.", "Convert it to OpenAPI 3, with swagger2openapi for example.")
  }
  const fault = faultOf(given)
  if (fault !== undefined) return refuse("", fault, "Give the parsed JSON of the document.")
  const version = given["openapi"]
  if (typeof version !== "string")
    return refuse("/openapi", "it says no version.", "Write openapi: 3.1.0, or what it is.")
  const minor = /^3\.([0-2])(?:\.|$)/.exec(version)?.[1]
  if (minor === undefined)
    return refuse("/openapi", `its version is no 3.0, 3.1 or 3.2.`, "Convert it to one of these.")
  if (given["paths"] !== undefined && !isJsonObject(given["paths"])) {
    return refuse("/paths", "the paths are no object.", "Correct the document.")
  }
  return Result.succeed({ root: given, dialect: minor === "0" ? "3.0" : "2020-12" })
}

/** Deepest nesting of a document. */
const deepest = 500

/** What makes a value no JSON that can be walked through. */
const faultOf = (given: JsonObject): string | undefined => {
  try {
    JSON.stringify(given)
  } catch {
    return "it is no JSON: it holds itself, or is nested without an end."
  }
  const open: Array<readonly [value: object, depth: number]> = [[given, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (depth > deepest) return `it is nested deeper than ${deepest} levels.`
    for (const inner of Object.values(value)) {
      if (typeof inner === "object" && inner !== null) open.push([inner as object, depth + 1])
    }
  }
  return undefined
}

const refuse = (pointer: string, detail: string, remedy: string) =>
  Result.fail(new UnusableDocument({ pointer, detail, remedy }))

/** A node, and where it stands. */
export interface Place {
  readonly node: unknown
  readonly pointer: string
}

/** Most references that lead to each other. */
const longestChain = 50

/** Follows a reference, and what it leads to, until something stands there; or says in one sentence what is wrong. */
export const follow = (document: Document, start: Place): Result.Result<Place, string> => {
  let place = start
  for (let steps = 0; steps <= longestChain; steps++) {
    const reference = isJsonObject(place.node) ? place.node["$ref"] : undefined
    if (typeof reference !== "string") return Result.succeed(place)
    if (!reference.startsWith("#")) return Result.fail(`The reference leads out of the document: ${shown(reference)}.`)
    const path = JsonPointer.fromReference(reference)
    const found = path && JsonPointer.valueAt(document.root, path)
    if (path === undefined || found === undefined)
      return Result.fail(`The reference leads nowhere: ${shown(reference)}.`)
    place = { node: found, pointer: JsonPointer.format(path) }
  }
  return Result.fail("The references lead to each other without an end.")
}

const shown = (reference: string): string => JSON.stringify(reference.slice(0, 100))

/** A field that is a text. */
export const text = (node: unknown, key: string): string | undefined => {
  const value = field(node, key)
  return typeof value === "string" ? value : undefined
}
