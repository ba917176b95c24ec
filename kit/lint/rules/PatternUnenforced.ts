/** Reports a pattern that the guard does not enforce, because it cannot run in linear time. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isOf, schemasIn } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"
import { isValid } from "effect-toolguard/internal/domain/schema/json/Pattern"
import * as ForeignPattern from "effect-toolguard/internal/domain/schema/pattern/ForeignPattern"
import * as LinearEngine from "effect-toolguard/internal/domain/schema/pattern/LinearEngine"
import * as Result from "effect/Result"
import { overTool } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"

export const patternUnenforced = overTool(
  {
    id: "pattern-unenforced",
    category: "schema",
    step: 14,
    severity: "warning",
    title: "Each pattern can run in linear time.",
    why: "The guard runs the patterns of MCP servers, OpenAPI documents and toolkits in linear time, so that no pattern can block the process. It does not enforce patterns with look-ahead, look-behind or back references, patterns that repeat too much, and patterns that are valid only without the flag `u`. The model reads the constraint, but the guard passes a value that violates it to the handler.",
    example: {
      bad: `{
  "name": "create_branch",
  "description": "Creates a branch.",
  "parameters": { "type": "object", "properties": { "name": { "type": "string", "pattern": "^(?!main$)[a-z-]{1,50}$" } } }
}`,
      good: `{
  "name": "create_branch",
  "description": "Creates a branch.",
  "parameters": {
    "type": "object",
    "properties": { "name": { "type": "string", "pattern": "^[a-z-]{1,50}$", "not": { "const": "main" } } }
  }
}`
    }
  },
  ({ tool: { at, parameters, result } }) =>
    // without the engine no pattern is enforced, which is a fault of the installation and not of the tool
    LinearEngine.load() === undefined ? [] : [...faultsIn(parameters, at.parameters), ...faultsIn(result, at.result)]
)

/** Returns a fault for each pattern in a schema that is not enforced. */
const faultsIn = (schema: unknown, at: JsonPointer): ReadonlyArray<Fault> =>
  !isJsonObject(schema)
    ? []
    : Object.entries(schema).flatMap(([keyword, value]) => {
        const kind = kindOf(keyword)
        const place = [...at, keyword]
        if (kind === undefined) return []
        if (kind === "pattern") return typeof value === "string" ? faultOf(value, place) : []
        const names = keyword === "patternProperties" && isJsonObject(value) ? Object.keys(value) : []
        return [
          ...names.flatMap((pattern) => faultOf(pattern, [...place, pattern])),
          ...schemasIn(kind, value).flatMap(([inner, path]) => faultsIn(inner, [...place, ...path]))
        ]
      })

const faultOf = (pattern: string, at: JsonPointer): ReadonlyArray<Fault> => {
  const reason = reasonOf(pattern)
  return reason === undefined
    ? []
    : [
        {
          at,
          message: `The pattern ${cut(shown(JSON.stringify(pattern)), 60)} is not enforced: ${reason}; rewrite it, or check the value in the handler.`
        }
      ]
}

const reasonOf = (pattern: string): string | undefined => {
  if (isValid(pattern)) {
    const made = ForeignPattern.make(pattern)
    return Result.isFailure(made) ? made.failure.replace(/^the pattern /u, "it ") : undefined
  }
  // the rule `schema-valid` reports a pattern that is valid in neither way
  return isOf("pattern", pattern) ? "it is valid only without the flag `u`" : undefined
}
