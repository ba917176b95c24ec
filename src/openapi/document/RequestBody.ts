/**
 * Reads the request body of an operation: its media type and encoding.
 *
 * JSON is preferred, then forms, then text and bytes. Other media types are not supported.
 */
import * as JsonPointer from "#domain/json/JsonPointer"
import * as Result from "effect/Result"
import { type Document, follow, type Place, text, type UnsupportedPart } from "./Document.ts"
import { field, isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Operation } from "./Operations.ts"

type BodyKind = "json" | "form" | "multipart" | "text" | "bytes"

/** How one field of a form is encoded. */
export interface FieldEncoding {
  readonly contentType: string | undefined
  readonly style: string | undefined
  readonly explode: boolean | undefined
  readonly allowReserved: boolean
}

export interface RequestBody {
  readonly kind: BodyKind
  /** The media type of the request. */
  readonly mediaType: string
  readonly isRequired: boolean
  readonly description: string
  readonly schema: Place
  /** The fields of a form. */
  readonly encoding: ReadonlyMap<string, FieldEncoding>
  /** The fields of a multipart form that are files, or lists of files. */
  readonly files: ReadonlyMap<string, "one" | "many">
}

const kinds: ReadonlyArray<readonly [kind: BodyKind, pattern: RegExp]> = [
  ["json", /^application\/json\s*(?:;|$)/i],
  ["json", /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i],
  ["json", /^(?:\*\/\*|application\/\*)$/],
  ["form", /^application\/x-www-form-urlencoded\s*(?:;|$)/i],
  ["multipart", /^multipart\/form-data\s*(?:;|$)/i],
  ["text", /^text\/(?!xml)/i],
  ["bytes", /^(?:application\/(?:octet-stream|zip|gzip|pdf|x-tar)|image\/|audio\/|video\/|font\/)/i]
]

/** Reads the body. Returns undefined if no body is sent, and fails if a required body cannot be sent. */
export const read = (
  document: Document,
  operation: Operation,
  report: (unsupported: UnsupportedPart) => void
): Result.Result<RequestBody | undefined, UnsupportedPart> => {
  const requestBody = operation.node["requestBody"]
  if (requestBody === undefined) return Result.succeed(undefined)
  const start = `${operation.pointer}/requestBody`
  const place = follow(document, { node: requestBody, pointer: start })
  if (Result.isFailure(place)) return Result.fail({ pointer: start, reason: place.failure })
  const { node, pointer } = place.success
  if (operation.method === "get" || operation.method === "head") {
    report({ pointer: start, reason: "A body has no meaning in GET or HEAD and is not sent." })
    return Result.succeed(undefined)
  }
  const content = field(node, "content")
  const chosen = chosenOf(isJsonObject(content) ? content : {})
  const isRequired = field(node, "required") === true
  if (chosen === undefined) {
    const names = Object.keys(isJsonObject(content) ? content : {}).map((name) => name.slice(0, 60))
    const unsupported = {
      pointer: `${pointer}/content`,
      reason: `A body of this media type is not supported: ${names.join(", ") || "nothing"}.`
    }
    report(unsupported)
    return isRequired ? Result.fail(unsupported) : Result.succeed(undefined)
  }
  const [kind, media] = chosen
  const at = `${pointer}/content/${JsonPointer.escape(media)}`
  const schema = { node: field(field(content, media), "schema") ?? {}, pointer: `${at}/schema` }
  return Result.succeed({
    kind,
    mediaType: media.includes("*") ? "application/json" : media,
    isRequired,
    description: text(node, "description") ?? "",
    schema,
    encoding: encodingOf(field(field(content, media), "encoding")),
    files: kind === "multipart" ? filesOf(document, schema) : new Map()
  })
}

const chosenOf = (content: JsonObject): readonly [BodyKind, string] | undefined => {
  for (const [kind, pattern] of kinds) {
    const media = Object.keys(content).find((name) => pattern.test(name) && !/[\r\n\0]/.test(name))
    if (media !== undefined) return [kind, media]
  }
  return undefined
}

const encodingOf = (value: unknown): ReadonlyMap<string, FieldEncoding> =>
  new Map(
    Object.entries(isJsonObject(value) ? value : {}).map(([name, each]) => {
      const explode = field(each, "explode")
      return [
        name,
        {
          contentType: text(each, "contentType"),
          style: text(each, "style"),
          explode: typeof explode === "boolean" ? explode : undefined,
          allowReserved: field(each, "allowReserved") === true
        }
      ]
    })
  )

const filesOf = (document: Document, schema: Place): ReadonlyMap<string, "one" | "many"> => {
  const properties = field(targetOf(document, schema), "properties")
  return new Map(
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(
      ([name, each]): Array<[string, "one" | "many"]> => {
        const target = targetOf(document, { node: each, pointer: "" })
        if (isFile(target)) return [[name, "one"]]
        return isFile(targetOf(document, { node: field(target, "items"), pointer: "" })) ? [[name, "many"]] : []
      }
    )
  )
}

const targetOf = (document: Document, place: Place): unknown => {
  const target = follow(document, place)
  return Result.isSuccess(target) ? target.success.node : undefined
}

/** True if a schema is binary: `format: binary` in 3.0, or a string with a media type and no encoding in 3.1. */
const isFile = (schema: unknown): boolean => {
  const type = field(schema, "type")
  if (text(schema, "format") === "binary") return true
  return (
    text(schema, "contentMediaType") !== undefined &&
    field(schema, "contentEncoding") === undefined &&
    (type === undefined || type === "string")
  )
}

/** The schema of a file for a model. */
export const fileSchema: JsonObject = {
  type: "object",
  description: "A file: its content as `text`, or as `base64`.",
  properties: {
    text: { type: "string" },
    base64: { type: "string" },
    file_name: { type: "string", maxLength: 200 },
    media_type: { type: "string", maxLength: 100 }
  },
  additionalProperties: false
}
