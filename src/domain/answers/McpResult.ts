/** Reads the result of a call of an MCP tool (`CallToolResult`). */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"

/** Joins the texts of a result. */
export const textOf = ({ content }: JsonObject): string =>
  Array.isArray(content)
    ? content
        .flatMap((block: unknown) => (isJsonObject(block) && typeof block["text"] === "string" ? [block["text"]] : []))
        .join("\n")
    : ""

/** Returns the data of a result: its structured content, or else its texts. Any other value is the data itself. */
export const dataOf = (result: unknown): unknown => {
  if (!isJsonObject(result) || !Array.isArray(result["content"])) return result
  return isJsonObject(result["structuredContent"]) ? result["structuredContent"] : textOf(result)
}
