/** Finds the example calls of a text that are invalid for their tool: `get_order({"id": 7})`, `get_order(id="O-7")`. */
import { escapeRegExp } from "#kit/text/EscapeRegExp"
import * as ArgumentIssues from "effect-toolguard/internal/domain/schema/ArgumentIssues"
import { make } from "effect-toolguard/internal/domain/schema/foreign/ForeignContract"
import * as JsonText from "effect-toolguard/internal/domain/json/JsonText"
import * as PythonRepr from "effect-toolguard/internal/domain/json/PythonRepr"
import { opener } from "#kit/schema/Term"
import { valid } from "#kit/schema/Judge"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"

interface Fault {
  /** Counts from 1. */
  readonly line: number
  readonly fault: string
}

/** The maximum length of an example's arguments, in characters. */
const maxLength = 4_000

/** Reads the arguments in the parentheses that open at `start`. Returns `undefined` if they cannot be read. */
const argumentsAt = (text: string, start: number): unknown => {
  for (let end = text.indexOf(")", start); end >= 0 && end - start < maxLength; end = text.indexOf(")", end + 1)) {
    const inside = text.slice(start + 1, end).trim()
    if (inside.startsWith("{")) {
      const json = JsonText.parse(inside, JsonText.argumentLimits)
      if (Result.isSuccess(json)) return json.success
    }
    const repr = PythonRepr.read(inside.startsWith("{") ? inside : `[call(${inside})]`)
    if (repr._tag === "Read") {
      const value: unknown = Array.isArray(repr.value) ? repr.value[0] : repr.value
      return inside === "" || typeof value !== "object" || Array.isArray(value) ? undefined : value
    }
  }
  return undefined
}

/** Returns the example calls that a tool would refuse. */
export const faultsOf = (
  lines: ReadonlyArray<string>,
  tool: string,
  parameters: JsonSchema.JsonSchema
): ReadonlyArray<Fault> => {
  const text = lines.join("\n")
  const term = opener()(parameters)
  return [...text.matchAll(new RegExp(`(?<![\\w-])${escapeRegExp(tool)}\\(`, "gu"))].flatMap((found) => {
    const args = argumentsAt(text, found.index + found[0].length - 1)
    if (args === undefined || valid(term, args) !== false) return []
    return [{ line: text.slice(0, found.index).split("\n").length, fault: describe(parameters, args) }]
  })
}

const describe = (parameters: JsonSchema.JsonSchema, args: unknown): string => {
  const decoded = make(parameters).decode(args)
  if (Result.isSuccess(decoded)) return "its schema does not accept these arguments"
  return ArgumentIssues.mismatch(ArgumentIssues.fromIssue(decoded.failure)).text
}
