/** Reads a server's list of tools page by page, within bounds. */
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { cut } from "#domain/json/ValueDepth"
import * as Effect from "effect/Effect"
import { broken, type McpError } from "#src/mcp/wire/McpError"

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  readonly annotations: JsonObject
  /** The whole entry, unchanged. */
  readonly raw: JsonObject
}

const maxPages = 100
const maxTools = 10_000

/** The maximum number of levels of a schema. What is deeper is `null`, so that one tool cannot make all unavailable. */
const deepest = 256

export interface Listed {
  readonly tools: ReadonlyArray<ListedTool>
  /** The last page without its tools and cursor. */
  readonly rest: JsonObject
}

/** Requests all pages. `ask` sends `tools/list`. */
export const all = (
  ask: (params: JsonObject) => Effect.Effect<JsonObject, McpError>
): Effect.Effect<Listed, McpError> =>
  Effect.gen(function* () {
    const tools = new Map<string, ListedTool>()
    const cursors = new Set<string>()
    let params: JsonObject = {}
    while (true) {
      const { nextCursor, tools: page, ...rest } = yield* ask(params)
      const place = `page ${cursors.size + 1} of tools/list`
      if (!Array.isArray(page)) return yield* broken("`tools` is not a list", place, JSON.stringify(cut(rest, deepest)))
      const entries: ReadonlyArray<unknown> = page
      for (const [index, each] of entries.entries()) {
        const tool = read(each)
        if (tool === undefined)
          return yield* broken(
            "a tool has no `name`",
            `tool ${index + 1}, ${place}`,
            JSON.stringify(cut(each, deepest))
          )
        if (tools.has(tool.name))
          return yield* broken("two tools have the same name", `tool ${index + 1}, ${place}`, tool.name)
        tools.set(tool.name, tool)
        if (tools.size > maxTools) return yield* broken(`the list has over ${maxTools} tools`, place, "")
      }
      if (typeof nextCursor !== "string" || nextCursor === "") return { tools: [...tools.values()], rest }
      if (cursors.has(nextCursor)) return yield* broken("its cursor repeats", place, nextCursor)
      if (cursors.size === maxPages) return yield* broken(`the list has over ${maxPages} pages`, place, nextCursor)
      cursors.add(nextCursor)
      params = { cursor: nextCursor }
    }
  })

/**
 * Reads an entry, or returns undefined if it has no name. An invalid input schema is read as one that accepts any
 * object.
 */
const read = (value: unknown): ListedTool | undefined => {
  if (!isJsonObject(value)) return undefined
  const { annotations, description, inputSchema, name, outputSchema } = value
  if (typeof name !== "string" || name === "") return undefined
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: isJsonObject(inputSchema) ? cut(inputSchema, deepest) : { type: "object" },
    outputSchema: isJsonObject(outputSchema) ? cut(outputSchema, deepest) : undefined,
    annotations: isJsonObject(annotations) ? cut(annotations, deepest) : {},
    raw: value
  }
}
