/**
 * Reads a server's list of tools page by page, within bounds. An entry without a name, or with the name of an earlier
 * entry, is left out and reported, so that it does not make the other tools unavailable.
 */
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

/** The maximum number of characters of all entries together. */
const maxCharacters = 32_000_000

/** The maximum number of reported entries. */
const maxFaults = 20

/**
 * The maximum number of levels of a schema. Deeper values become `null`, so that one tool cannot make all tools
 * unavailable.
 */
const maxDepth = 256

/** The maximum number of levels whose characters are counted. */
const maxLevels = 1_000

export interface ToolListing {
  readonly tools: ReadonlyArray<ListedTool>
  /** The last page without its tools and cursor. */
  readonly rest: JsonObject
  /** The entries that were left out, with their places. At most 20. */
  readonly faults: ReadonlyArray<McpError>
}

/** Requests all pages. `ask` sends `tools/list`. */
export const all = (
  ask: (params: JsonObject) => Effect.Effect<JsonObject, McpError>
): Effect.Effect<ToolListing, McpError> =>
  Effect.gen(function* () {
    const tools = new Map<string, ListedTool>()
    const faults: Array<McpError> = []
    const leaveOut = (what: string, place: string, text: string) => {
      if (faults.length < maxFaults) faults.push(broken(`it is left out, because ${what}`, place, text))
    }
    const cursors = new Set<string>()
    let params: JsonObject = {}
    let characters = 0
    while (true) {
      const { nextCursor, tools: page, ...rest } = yield* ask(params)
      const place = `page ${cursors.size + 1} of tools/list`
      if (!Array.isArray(page))
        return yield* broken("`tools` is not a list", place, JSON.stringify(cut(rest, maxDepth)))
      characters += charactersIn(page, maxLevels)
      if (characters > maxCharacters) {
        return yield* broken(`the list has over ${maxCharacters / 1_000_000} million characters`, place, "")
      }
      const entries: ReadonlyArray<unknown> = page
      for (const [index, each] of entries.entries()) {
        const tool = read(each)
        const where = `tool ${index + 1}, ${place}`
        if (tool === undefined) {
          leaveOut("it has no `name`", where, JSON.stringify(cut(each, maxDepth)))
          continue
        }
        if (tools.has(tool.name)) {
          leaveOut("an earlier tool has the same name", where, tool.name)
          continue
        }
        tools.set(tool.name, tool)
        if (tools.size > maxTools) return yield* broken(`the list has over ${maxTools} tools`, place, "")
      }
      if (typeof nextCursor !== "string" || nextCursor === "") return { tools: [...tools.values()], rest, faults }
      if (cursors.has(nextCursor)) return yield* broken("its cursor repeats", place, nextCursor)
      if (cursors.size === maxPages) return yield* broken(`the list has over ${maxPages} pages`, place, nextCursor)
      cursors.add(nextCursor)
      params = { cursor: nextCursor }
    }
  })

/** Counts the characters of texts and names in a value, and eight for each number, list and object. */
const charactersIn = (value: unknown, levels: number): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || levels === 0) return 8
  let sum = 8
  for (const [name, each] of Object.entries(value)) sum += name.length + charactersIn(each, levels - 1)
  return sum
}

/**
 * Reads an entry, or returns undefined if it has no name. An invalid input schema is replaced by a schema that accepts
 * any object.
 */
const read = (value: unknown): ListedTool | undefined => {
  if (!isJsonObject(value)) return undefined
  const { annotations, description, inputSchema, name, outputSchema } = value
  if (typeof name !== "string" || name === "") return undefined
  return {
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: isJsonObject(inputSchema) ? cut(inputSchema, maxDepth) : { type: "object" },
    outputSchema: isJsonObject(outputSchema) ? cut(outputSchema, maxDepth) : undefined,
    annotations: isJsonObject(annotations) ? cut(annotations, maxDepth) : {},
    raw: value
  }
}
