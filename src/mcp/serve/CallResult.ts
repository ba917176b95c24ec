/**
 * Converts an answer of the guard to the result of an MCP call: the envelope as text and as structured content, and its
 * parts.
 */
import type { JsonObject } from "#domain/json/JsonObject"
import type { ShownPart } from "#domain/parts/ShownPart"
import * as Part from "#domain/parts/Part"
import { mayAdvise } from "#domain/turn/Enforcement"
import type { CompiledTool } from "#pipeline/call/CompiledTool"
import type { ModelAnswer } from "#src/guard/Guard"
import * as McpSchema from "effect/ai/McpSchema"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

type Content = McpSchema.CallToolResult["content"]

/** Returns whether a protocol version supports audio and resource links. */
const supports = (version: string) => ({ audio: version >= "2025-03-26", links: version >= "2025-06-18" })

/** Returns the result in a protocol version. */
export const toResult = (tool: CompiledTool, answer: ModelAnswer, version: string): McpSchema.CallToolResult => {
  // the guard writes an envelope as a JSON object
  const envelope = JSON.parse(answer.text) as JsonObject
  return new McpSchema.CallToolResult({
    content: [
      { type: "text", text: answer.text },
      ...(answer.parts ?? []).flatMap((part, index) => contentOf(part, index, version)),
      ...linkOf(envelope["resource_url"], tool.definition.name, version)
    ],
    structuredContent: conforming(tool, envelope),
    isError: answer.isFailure
  })
}

/**
 * Returns the structured envelope. Omits `data` if it does not satisfy the advertised schema, because redaction has
 * changed it, or because the guard is a shadow or only advises. The text still contains `data`.
 */
const conforming = ({ definition, exists, result }: CompiledTool, envelope: JsonObject) => {
  // the advertised schema of a tool that advises, if only in some conversations, accepts any data
  if (!exists || !("data" in envelope) || mayAdvise(definition.enforce)) return envelope
  if (Result.isSuccess(result.decode(envelope["data"]))) return envelope
  const { data: _, ...rest } = envelope
  return rest
}

const linkOf = (url: unknown, tool: string, version: string): Content =>
  typeof url === "string" && supports(version).links
    ? [{ type: "resource_link", uri: url, name: `The complete result of ${tool}`, mimeType: "application/json" }]
    : []

const contentOf = (part: ShownPart, index: number, version: string): Content => {
  if (part.type === "text") return [{ type: "text", text: part.text }]
  const { data, fileName, mediaType } = part
  if (Part.isAddress(part)) {
    return supports(version).links
      ? [{ type: "resource_link", uri: data, name: fileName ?? data, mimeType: mediaType }]
      : [{ type: "text", text: data }]
  }
  const bytes = Result.getOrUndefined(Base64.decode(data))
  if (bytes === undefined) return []
  if (mediaType.startsWith("image/")) return [{ type: "image", data: bytes, mimeType: mediaType }]
  if (mediaType.startsWith("audio/") && supports(version).audio) {
    return [{ type: "audio", data: bytes, mimeType: mediaType }]
  }
  const uri = part.resourceUrl ?? `file:///${encodeURIComponent(fileName ?? `part-${index + 1}`)}`
  return [{ type: "resource", resource: { uri, mimeType: mediaType, blob: bytes } }]
}
