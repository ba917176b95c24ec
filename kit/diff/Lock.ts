/**
 * Reads and writes the lock, a committed file with the snapshot that callers rely on.
 *
 * The file is sorted and indented, so that a change of a tool changes few lines. Field names and the lists `required`
 * and `type` are sorted. All other lists, such as an enum, keep their order.
 */
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as Fields from "effect-toolguard/internal/domain/json/Fields"
import { field, isJsonObject, type JsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import * as Result from "effect/Result"
import type { Snapshot, ToolPromise } from "./Snapshot.ts"

/** The version of the file's format. */
const version = 1

/** Writes the lock file. */
export const write = (snapshot: Snapshot): string => {
  const tools = [...snapshot].map(([name, promise]) => [name, sorted(entry(promise))])
  return `${JSON.stringify({ toolguard: version, tools: sorted(Object.fromEntries(tools)) }, undefined, 2)}\n`
}

const entry = ({ access, annotations, description, isGuarded, parameters, result }: ToolPromise): JsonObject => ({
  ...(access === undefined ? {} : { access }),
  ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  description,
  ...(isGuarded ? { guarded: true } : {}),
  parameters,
  ...(result === undefined ? {} : { result })
})

const sorted = (value: unknown, key = ""): unknown => {
  if (Array.isArray(value)) {
    const isSet = (key === "required" || key === "type") && value.every((each) => typeof each === "string")
    return isSet ? value.toSorted() : value.map((each) => sorted(each))
  }
  if (!isJsonObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name], name)]))
}

const accesses: ReadonlySet<unknown> = new Set(["read", "write", "destructive"])

/** Reads a lock file. Fails with a sentence that says what is wrong. */
export const read = (text: string): Result.Result<Snapshot, string> => {
  const parsed = JsonText.parse(text, JsonText.resultLimits)
  if (Result.isFailure(parsed)) {
    const { column, line, message } = parsed.failure
    return Result.fail(`It is not valid JSON at line ${line}, column ${column}: ${message}.`)
  }
  const found = field(parsed.success, "toolguard")
  if (found !== version) {
    return Result.fail(
      found === undefined
        ? "It is not a lock of toolguard."
        : `Its format is ${JSON.stringify(found)}; this version reads format ${version}.`
    )
  }
  const tools = field(parsed.success, "tools")
  if (!isJsonObject(tools)) return Result.fail("It has no `tools`.")
  const snapshot = new Map<string, ToolPromise>()
  for (const [name, tool] of Object.entries(tools)) {
    const { access, annotations, description, guarded, parameters, result } = Fields.of(tool)
    if (!isJsonObject(parameters)) return Result.fail(`Its tool ${JSON.stringify(name)} has no \`parameters\`.`)
    snapshot.set(name, {
      description: Fields.string(description),
      // `accesses` contains only valid values
      ...(accesses.has(access) ? { access: access as NonNullable<ToolPromise["access"]> } : {}),
      parameters,
      ...(isJsonObject(result) ? { result } : {}),
      annotations: Fields.of(annotations),
      isGuarded: guarded === true
    })
  }
  return Result.succeed(snapshot)
}
