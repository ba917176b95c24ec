/**
 * A lock: the descriptions, schemas and annotations of the tools that were accepted.
 *
 * A server that changes a tool after people have reviewed it ("rug pull") can make a model do what they did not agree
 * to. A changed tool is therefore refused until it is accepted again.
 */
import * as CallKey from "#domain/call/CallKey"
import { isJsonObject, type JsonObject } from "#domain/json/JsonObject"
import { cut } from "#domain/json/ValueDepth"
import * as JsonText from "#domain/json/JsonText"
import * as Result from "effect/Result"
import type { ListedTool } from "./ToolListing.ts"

/** The fields of a tool that a lock contains. */
const lockedFields = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const

/** The locked fields, by tool name. */
export type Lock = ReadonlyMap<string, JsonObject>

/**
 * The maximum number of levels of a field. Deeper values become `null`: no tool uses them, and they cannot be compared.
 */
const maxDepth = 1_000

const fieldsOf = ({ raw }: ListedTool): JsonObject =>
  Object.fromEntries(
    lockedFields.flatMap((part) => (raw[part] === undefined ? [] : [[part, cut(raw[part], maxDepth)]]))
  )

/** Returns the lock of a list of tools. */
export const of = (tools: ReadonlyArray<ListedTool>): Lock => new Map(tools.map((tool) => [tool.name, fieldsOf(tool)]))

/** Returns the fields in which a tool differs from the lock, or undefined if the lock does not contain it. */
export const changes = (lock: Lock, tool: ListedTool): ReadonlyArray<string> | undefined => {
  const locked = lock.get(tool.name)
  if (locked === undefined) return undefined
  const now = fieldsOf(tool)
  return lockedFields.filter((part) => canonical(locked[part]) !== canonical(now[part]))
}

/** Returns the same text for equal JSON, whatever the order of its fields. */
const canonical = (value: unknown): string => (value === undefined ? "" : CallKey.canonical(value))

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isJsonObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, sorted(value[name])])
        )
      : value

const format = 1

/** Writes the file, sorted and indented, so that a changed tool is a diff of a few lines. */
export const write = (lock: Lock): string => {
  const tools = [...lock].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, fields]) => [name, sorted(fields)])
  return `${JSON.stringify({ "toolguard-mcp": format, tools: Object.fromEntries(tools) }, undefined, 2)}\n`
}

/** Reads the file, or returns a sentence that describes the fault. */
export const read = (text: string): Result.Result<Lock, string> => {
  let parsed: unknown
  try {
    // `JSON.parse` creates own entries only: a server may name a tool or parameter `__proto__`
    parsed = JSON.parse(text)
  } catch {
    const read = JsonText.parse(text, JsonText.resultLimits)
    const { column, line, message } = Result.isFailure(read)
      ? read.failure
      : { column: 1, line: 1, message: "unreadable" }
    return Result.fail(`Line ${line}, column ${column} is not JSON: ${message}.`)
  }
  const file = isJsonObject(parsed) ? parsed : {}
  const { tools, "toolguard-mcp": version } = file
  if (version !== format) return Result.fail("It is not a lock of toolguard mcp.")
  if (!isJsonObject(tools)) return Result.fail("It has no `tools`.")
  const wrong = Object.keys(tools).find((name) => !isJsonObject(tools[name]))
  return wrong === undefined
    ? // each entry was checked above
      Result.succeed(new Map(Object.entries(tools) as ReadonlyArray<[string, JsonObject]>))
    : Result.fail(`Its tool ${JSON.stringify(wrong)} is not an object.`)
}
