/**
 * Reads the tools that a log lists, in any of the common formats.
 *
 * Most lines of a log list the same tools. Equal tools become one object, and consecutive equal lists become one list,
 * so that compiled contracts can be cached by identity.
 */
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type * as JsonSchema from "effect/JsonSchema"
import * as Content from "./Content.ts"
import type { RecordedTool } from "./Conversation.ts"

/** Converts a list of tools, as logged, to `RecordedTool`s. */
type Tools = (listed: unknown) => ReadonlyArray<RecordedTool>

/** A tool as logged and as converted. */
interface KnownTool {
  readonly listed: unknown
  readonly tool: RecordedTool | undefined
}

const none: ReadonlyArray<RecordedTool> = []

/** The number of cached tools at which the cache is cleared. */
const maxKnown = 2_000

/** The maximum number of cached tools of one name, so that each definition is compared with only a few others. */
const maxOfName = 16

/** Creates a converter that returns the same objects for equal tools. */
export const make = (): Tools => {
  const known = new Map<string, Array<KnownTool>>()
  let count = 0
  let last: { readonly listed: unknown; readonly tools: ReadonlyArray<RecordedTool> } = { listed: none, tools: none }

  const toolOf = (listed: unknown, key?: string): RecordedTool | undefined => {
    const name = key ?? nameOf(listed)
    const before = known.get(name)
    const same = before?.find((one) => isEqual(one.listed, listed, maxDepth))
    if (same !== undefined) return same.tool
    const tool = name === "" ? undefined : read(name, listed)
    if (count >= maxKnown) {
      known.clear()
      count = 0
    }
    count += 1
    const one = { listed, tool }
    known.set(name, count > 1 && before !== undefined ? [one, ...before.slice(0, maxOfName - 1)] : [one])
    return tool
  }

  return (listed) => {
    if (typeof listed !== "object" || listed === null) return none
    if (isEqual(listed, last.listed, maxDepth)) return last.tools
    const tools = (
      Array.isArray(listed)
        ? listed.map((one) => toolOf(one))
        : Object.entries(listed).map(([name, one]) => toolOf(one, name))
    ).filter((tool) => tool !== undefined)
    last = { listed, tools }
    return tools
  }
}

/** Returns the object with the fields of a tool: its `function`, or the tool itself. */
const fieldsOf = (listed: unknown): JsonObject => {
  const tool = Fields.of(listed)
  return typeof tool["function"] === "object" && tool["function"] !== null ? Fields.of(tool["function"]) : tool
}

const nameOf = (listed: unknown): string => Fields.string(fieldsOf(listed)["name"])

const read = (name: string, listed: unknown): RecordedTool => {
  const fields = fieldsOf(listed)
  const description = fields["description"]
  const input = fields["inputSchema"]
  const parameters = schemaOf(fields["parameters"] ?? fields["input_schema"] ?? Fields.of(input)["jsonSchema"] ?? input)
  const { output_schema: snakeCase, outputSchema = snakeCase } = { ...Fields.of(listed), ...fields }
  const result = schemaOf(outputSchema ?? fields["response"])
  const access = accessOf(Fields.of(fields["annotations"]))
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(parameters === undefined ? {} : { parameters }),
    ...(result === undefined ? {} : { result }),
    ...(access === undefined ? {} : { access })
  }
}

/** Reads a schema from an object or from JSON text. */
const schemaOf = (logged: unknown): JsonSchema.JsonSchema | undefined => {
  const value = Content.parsed(logged)
  return isJsonObject(value) ? value : undefined
}

/** Reads the annotations of MCP. A missing annotation implies nothing. */
const accessOf = ({ destructiveHint, readOnlyHint }: JsonObject): RecordedTool["access"] => {
  if (readOnlyHint === true) return "read"
  if (destructiveHint === true) return "destructive"
  return readOnlyHint === false || destructiveHint === false ? "write" : undefined
}

/** The number of levels to compare. Values that are nested deeper count as different. */
const maxDepth = 64

const isEqual = (one: unknown, other: unknown, levels: number): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || levels === 0) {
    return false
  }
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    for (let i = 0; i < one.length; i++) if (!isEqual(one[i], other[i], levels - 1)) return false
    return true
  }
  if (Array.isArray(other)) return false
  const left = Fields.of(one)
  const right = Fields.of(other)
  let names = 0
  for (const name in left) {
    const value = left[name]
    if (value !== right[name] && (typeof value !== "object" || !isEqual(value, right[name], levels - 1))) return false
    names += 1
  }
  return names === Object.keys(right).length
}
