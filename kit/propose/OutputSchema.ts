/** Prints a schema of results, or parts of it, as JSON Schema. */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"
import { advertise } from "effect-toolguard/internal/domain/schema/AdvertisedSchema"
import { print } from "effect-toolguard/internal/domain/schema/ContractPrint"
import { visibleJson } from "effect-toolguard/internal/domain/text/VisibleText"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** True for a rule that every object satisfies. Imported schemas mark open objects with such a rule. */
const isOpen = (rule: unknown): boolean =>
  JSON.stringify(rule) === '{"type":"object","additionalProperties":{}}' || JSON.stringify(rule) === "{}"

/** True for the bounds of safe integers, which an imported schema gives to all integers. */
const isSafeIntegerBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Removes the rules without effect. */
const tidy = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (isSafeIntegerBound(key, value)) return []
      if (key !== "allOf" || !Array.isArray(value)) return [[key, tidy(value)]]
      const rest = value.filter((rule) => !isOpen(rule))
      return rest.length === 0 ? [] : [[key, rest.map(tidy)]]
    })
  )
}

/** Returns a schema as JSON Schema 2020-12, with its tuples; `{}` for a schema that cannot be printed. */
export const of = (schema: SchemaAST.AST): unknown => {
  try {
    return tidy(print(advertise(Schema.make(schema), { keepsTuples: true }).ast).jsonSchema2020)
  } catch {
    return {}
  }
}

const maxWidth = 100

/** Formats a value on one line if it fits, otherwise on several. Hidden characters are escaped, as in `quoted`. */
const text = (value: unknown): string => {
  const line = visibleJson(JSON.stringify(value))
  return line.length > maxWidth
    ? JSON.stringify(value, undefined, 2)
        .split("\n")
        .map((each) => visibleJson(each))
        .join("\n")
    : line
}

/** Returns the line of a property: `"due": {"type":["string","null"]}`. */
export const field = (name: string, type: SchemaAST.AST): string => {
  const object = new SchemaAST.Objects([new SchemaAST.PropertySignature(name, type)], [])
  const printed = of(object)
  const { $defs, properties } = isJsonObject(printed) ? printed : {}
  const own = isJsonObject(properties) ? properties[name] : {}
  return [`${text(name)}: ${text(own)}`, ...($defs === undefined ? [] : [`"$defs": ${text($defs)}`])].join(",\n")
}

/** Returns the line of the required properties of an object. */
export const required = ({ propertySignatures }: SchemaAST.Objects): string =>
  `"required": ${text(propertySignatures.flatMap(({ name, type }) => (SchemaAST.isOptional(type) ? [] : [String(name)])))}`
