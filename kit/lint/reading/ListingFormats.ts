/**
 * Reads a list of tools in the formats of model providers and MCP servers.
 *
 * - A list is an array, an object with `tools` or `functions` (a request, a `tools/list` result), a JSON-RPC response
 *   whose `result` is such an object, or one tool.
 * - A tool has OpenAI's form `{ type: "function", function }`, the flat form of the Responses API, Anthropic's form
 *   with `input_schema`, MCP's form with `inputSchema`, or the form of a plain function with `parameters`. One list may
 *   mix the forms.
 * - Tools that a provider runs itself (`{ type: "web_search" }`) have no parameters to check and are skipped.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Result from "effect/Result"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { field, isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { ListedTool, Listing, Style, UnreadableTool } from "./ListedTool.ts"

/** Reads a parsed document. Fails with a sentence that says why the document is not a list of tools. */
export const read = (document: unknown): Result.Result<Listing, string> => {
  const found = entriesOf(document, [])
  if (found === undefined) return Result.fail(describe(document))
  const tools: Array<ListedTool> = []
  const unreadable: Array<UnreadableTool> = []
  for (const [pointer, entry] of found) {
    const tool = toolOf(entry, pointer)
    if (typeof tool === "string") unreadable.push({ pointer, reason: tool })
    else if (tool !== undefined) tools.push(tool)
  }
  if (unreadable.length > 0 && unreadable.length === found.length) {
    return Result.fail(`None of its ${found.length} entries is a tool: ${unreadable[0]?.reason}.`)
  }
  return Result.succeed({ tools, unreadable })
}

type Entry = readonly [JsonPointer, unknown]

const entriesOf = (document: unknown, at: JsonPointer): ReadonlyArray<Entry> | undefined => {
  if (Array.isArray(document)) {
    return document.flatMap((entry: unknown, index) => inner(entry, [...at, index]) ?? [[[...at, index], entry]])
  }
  if (!isJsonObject(document)) return undefined
  return inner(document, at) ?? (styleOf(document) === undefined ? undefined : [[at, document]])
}

/**
 * Returns the tools in an object that contains a list, such as a request, a response or an entry with
 * `functionDeclarations`.
 */
const inner = (value: unknown, at: JsonPointer): ReadonlyArray<Entry> | undefined => {
  for (const name of ["tools", "functions", "functionDeclarations", "function_declarations"]) {
    const list = field(value, name)
    if (Array.isArray(list)) return entriesOf(list, [...at, name])
  }
  const result = field(value, "result")
  return field(value, "jsonrpc") !== undefined && isJsonObject(result) ? inner(result, [...at, "result"]) : undefined
}

const describe = (document: unknown): string => {
  const error = field(document, "error")
  if (isJsonObject(error))
    return `It is an error, not a list of tools: ${cut(shown(Fields.string(error["message"])), 120)}`
  if (!isJsonObject(document)) return "It is not a list of tools."
  const names = Object.keys(document)
  return names.length === 0
    ? "It is an empty object."
    : `It has no \`tools\`; its fields are ${names
        .slice(0, 5)
        .map((name) => cut(shown(name), 40))
        .join(", ")}.`
}

/** The field with the schema of the arguments, for each format. */
const schemaFields: ReadonlyArray<readonly [string, Style]> = [
  ["inputSchema", "mcp"],
  ["input_schema", "anthropic"],
  ["parameters", "functions"]
]

const styleOf = (entry: JsonObject): Style | undefined => {
  if (isJsonObject(entry["function"])) return "openai"
  if (entry["type"] === "function") return "flat"
  const [, style] = schemaFields.find(([name]) => Object.hasOwn(entry, name)) ?? []
  return style ?? (Object.hasOwn(entry, "name") && Object.hasOwn(entry, "description") ? "functions" : undefined)
}

/** Reads a tool. Returns a clause if the entry is not a tool, and `undefined` for a tool that the provider runs. */
const toolOf = (entry: unknown, pointer: JsonPointer): ListedTool | string | undefined => {
  if (!isJsonObject(entry))
    return `it is ${entry === null ? "null" : Array.isArray(entry) ? "an array" : `a ${typeof entry}`}`
  const style = styleOf(entry)
  if (style === undefined) {
    const type = entry["type"]
    if (typeof type === "string" && type !== "function") return undefined
    return "it has no function, `parameters`, `inputSchema` or `input_schema`"
  }
  const at = style === "openai" ? [...pointer, "function"] : pointer
  const own = style === "openai" ? Fields.of(entry["function"]) : entry
  const name = own["name"]
  if (typeof name !== "string" || name === "")
    return name === undefined ? "it has no `name`" : "its `name` is not a non-empty string"
  const schemaField = style === "mcp" ? "inputSchema" : style === "anthropic" ? "input_schema" : "parameters"
  const places = (field: string): JsonPointer => (Object.hasOwn(own, field) ? [...at, field] : at)
  const description = Fields.string(own["description"])
  const parameters = own[schemaField]
  return {
    name,
    description,
    parameters,
    result: own["outputSchema"],
    style,
    access: accessOf(own["annotations"]),
    isRepeatable: field(own["annotations"], "idempotentHint") === true,
    shown: { name, description, parameters },
    at: {
      tool: at,
      name: places("name"),
      description: places("description"),
      parameters: places(schemaField),
      result: places("outputSchema")
    }
  }
}

/** Returns the access that MCP's hints declare. Ignores the hints' defaults, because servers rarely mean them. */
const accessOf = (hints: unknown): Access | undefined => {
  if (field(hints, "readOnlyHint") === true) return "read"
  if (field(hints, "destructiveHint") === true) return "destructive"
  return field(hints, "readOnlyHint") === false ? "write" : undefined
}
