/** Converts the content blocks of a tool's result, other than text, to parts. */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import type { Part } from "#domain/parts/Part"

/**
 * Returns the parts of a result. A block of an unknown type becomes a text part with its JSON. So does a content that is
 * no list of blocks, and a result without content: it would otherwise read as empty.
 */
export const partsOf = (result: JsonObject): ReadonlyArray<Part> => {
  const { _meta: _, content, isError: __, structuredContent, ...others } = result
  if (Array.isArray(content))
    return content.flatMap((block: unknown) => (isJsonObject(block) ? partOf(block) : written(block)))
  if (content !== undefined) return written(content)
  return structuredContent === undefined && Object.keys(others).length > 0 ? written(others) : []
}

const written = (value: unknown): ReadonlyArray<Part> =>
  value === null ? [] : [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]

const partOf = (block: JsonObject): ReadonlyArray<Part> => {
  const { data, mimeType, resource, type } = block
  switch (type) {
    case "text":
      return []
    case "image":
    case "audio":
      return typeof data === "string" ? [file(data, mimeType)] : []
    case "resource":
      return isJsonObject(resource) ? embedded(resource) : []
    default:
      return [{ type: "text", text: JSON.stringify(block) }]
  }
}

const embedded = ({ blob, mimeType, text, uri }: JsonObject): ReadonlyArray<Part> => {
  if (typeof text === "string") return [{ type: "text", text }]
  return typeof blob === "string" ? [{ ...file(blob, mimeType), ...nameOf(uri) }] : []
}

const file = (data: string, mediaType: unknown) =>
  ({ type: "file", mediaType: typeof mediaType === "string" ? mediaType : "application/octet-stream", data }) as const

const nameOf = (uri: unknown): { readonly fileName?: string } => {
  const name = typeof uri === "string" ? uri.split("/").at(-1) : undefined
  return name === undefined || name === "" ? {} : { fileName: name }
}
