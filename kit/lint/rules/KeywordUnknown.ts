/** Reports a name that is not a keyword of JSON Schema but was probably meant as a keyword. */
import { cut } from "effect-toolguard/internal/domain/text/Cut"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { overTool } from "./Rule.ts"
import type { Fault } from "#kit/lint/reading/Subject"
import { schemasIn } from "effect-toolguard/internal/domain/schema/json/KeywordValue"
import { either, kindOf } from "effect-toolguard/internal/domain/schema/json/Keywords"

export const keywordUnknown = overTool(
  {
    id: "keyword-unknown",
    category: "schema",
    step: 14,
    severity: "warning",
    isFixable: true,
    title: "Keywords are spelt as in JSON Schema.",
    why: "JSON Schema ignores unknown keywords. `maxlength`, `requried` or `nullable` look like rules, but nothing is enforced, and no error is reported.",
    example: {
      bad: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string", "maxlength": 20 } } }
}`,
      good: `{
  "name": "get_order",
  "description": "Gets one order.",
  "parameters": { "type": "object", "properties": { "id": { "type": "string", "maxLength": 20 } } }
}`
    }
  },
  ({ tool: { at, parameters } }) => misspelt(parameters, at.parameters)
)

/** The keywords of other schema languages, and what to write instead. */
const foreign: Readonly<Record<string, string>> = {
  nullable: 'add "null" to the types',
  choices: "write enum",
  allowed_values: "write enum",
  allowedValues: "write enum",
  possible_values: "write enum",
  possibleValues: "write enum",
  enums: "write enum",
  min: "write minimum, minLength or minItems",
  max: "write maximum, maxLength or maxItems",
  mandatory: "add the name to required of the object",
  desc: "write description",
  regex: "write pattern",
  example: "write examples, an array"
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/gu, "")

const known = Object.keys(either)

const keywords = new Map(
  known.filter((keyword) => !keyword.startsWith("$")).map((keyword) => [plain(keyword), keyword])
)

const letters = (name: string): string => [...name].toSorted().join("")

/** Returns the keyword that differs from a name only in case, in separators, or in the order of letters. */
export const meantBy = (name: string): string | undefined => {
  const same = keywords.get(plain(name))
  if (same !== undefined || name.length < 6) return same
  return known.find((keyword) => keyword.length === name.length && letters(keyword) === letters(name))
}

const misspelt = (schema: unknown, at: JsonPointer): ReadonlyArray<Fault> => {
  if (!isJsonObject(schema)) return []
  return Object.entries(schema).flatMap(([name, value]) => {
    const kind = kindOf(name)
    if (kind !== undefined)
      return schemasIn(kind, value).flatMap(([inner, path]) => misspelt(inner, [...at, name, ...path]))
    const meant = meantBy(name)
    const advice = meant === undefined ? (Object.hasOwn(foreign, name) ? foreign[name] : undefined) : `write ${meant}`
    return advice === undefined
      ? []
      : [
          {
            at: [...at, name],
            message: `JSON Schema ignores the unknown keyword ${cut(shown(name), 40)}; ${advice}.`
          }
        ]
  })
}
