/**
 * Reads the successful responses of an operation: the schema and the kind of its 2xx responses.
 *
 * - Several JSON responses are alternatives. A response without a body adds `null`. Without a schema, any JSON is
 *   accepted.
 * - If a response is JSON, other media types of the operation are not requested.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Result from "effect/Result"
import { type Document, follow, type Place, text, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Operation } from "./Operations.ts"
import type { Schemas } from "./Schemas.ts"

export interface Answers {
  /** `location`: the success is a redirect, whose location is the result. */
  readonly kind: "json" | "text" | "bytes" | "location"
  /** The schema of a JSON response. Undefined for any JSON. */
  readonly schema: JsonObject | undefined
  /** The `Accept` header. */
  readonly accept: string
}

const json = /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const textual = /^(?:text\/|application\/(?:xml|yaml|x-yaml|x-ndjson|[\w.-]+\+xml|javascript|graphql))/i

/** Reads the responses of an operation. */
export const read = (
  document: Document,
  schemas: Schemas,
  operation: Operation,
  report: (unsupported: UnsupportedPart) => void
): Answers => {
  if (operation.method === "head") return { kind: "json", schema: undefined, accept: "*/*" }
  if (isRedirect(operation)) return { kind: "location", schema: undefined, accept: "*/*" }
  const bodies: Array<{ readonly media: string; readonly schema: Place | undefined }> = []
  let isEmpty = false
  for (const place of successes(document, operation, report)) {
    const content = field(place.node, "content")
    const medias = isJsonObject(content) ? Object.keys(content) : []
    if (medias.length === 0) isEmpty = true
    for (const media of medias) {
      const schema = field(field(content, media), "schema")
      const pointer = `${place.pointer}/content/${JsonPointer.escape(media)}/schema`
      bodies.push({ media, schema: schema === undefined ? undefined : { node: schema, pointer } })
    }
  }
  const structured = bodies.filter(({ media }) => json.test(media) || media === "*/*")
  if (structured.length > 0) {
    const accept = [...new Set(structured.map(({ media }) => media))]
      .filter((media) => !/[\r\n\0]/.test(media))
      .slice(0, 5)
    return { kind: "json", schema: schemaOf(schemas, operation, structured, isEmpty), accept: accept.join(", ") }
  }
  const [first] = bodies
  if (first === undefined) return { kind: "json", schema: undefined, accept: "application/json, */*;q=0.5" }
  const media = first.media.replaceAll(/[^\x20-\x7e]/g, "")
  return { kind: bodies.every(({ media }) => textual.test(media)) ? "text" : "bytes", schema: undefined, accept: media }
}

/** True if the only success is a redirect, as for downloads. */
const isRedirect = ({ node }: Operation): boolean => {
  const statuses = Object.keys(isJsonObject(node["responses"]) ? node["responses"] : {})
  return statuses.some((status) => /^30[12378]$/.test(status)) && !statuses.some((status) => status.startsWith("2"))
}

const successes = (
  document: Document,
  operation: Operation,
  report: (unsupported: UnsupportedPart) => void
): ReadonlyArray<Place> => {
  const responses = operation.node["responses"]
  const all = Object.entries(isJsonObject(responses) ? responses : {})
  const successful = all.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  const chosen = successful.length > 0 ? successful : all.filter(([status]) => status === "default")
  return chosen.flatMap(([status, response]) => {
    const pointer = `${operation.pointer}/responses/${JsonPointer.escape(status)}`
    const place = follow(document, { node: response, pointer })
    if (Result.isFailure(place)) {
      report({ pointer, reason: place.failure })
      return []
    }
    if (field(place.success.node, "links") !== undefined) {
      report({ pointer: `${place.success.pointer}/links`, reason: "Links to other operations are not followed." })
    }
    return [place.success]
  })
}

const schemaOf = (
  schemas: Schemas,
  { extension }: Operation,
  bodies: ReadonlyArray<{ readonly schema: Place | undefined }>,
  isEmpty: boolean
): JsonObject | undefined => {
  const places = bodies.flatMap(({ schema }) => (schema === undefined ? [] : [schema]))
  if (places.length < bodies.length) return undefined
  const [only] = places
  if (only !== undefined && extension.tool !== undefined) return dataOf(schemas, only)
  if (only !== undefined && places.length === 1 && !isEmpty) return schemas.alone(only, "response")
  const parts = new Map(
    places.map((place) => schemas.part(place, "response")).map((part) => [JSON.stringify(part), part])
  )
  const alternatives = [...parts.values(), ...(isEmpty ? [{ type: "null" }] : [])]
  return schemas.whole(alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives }, "response")
}

/** Returns the schema of an envelope's data. */
const dataOf = (schemas: Schemas, { node, pointer }: Place): JsonObject | undefined => {
  const data = field(field(node, "properties"), "data")
  return data === undefined || text(node, "$ref") !== undefined
    ? undefined
    : schemas.alone({ node: data, pointer: `${pointer}/properties/data` }, "response")
}
