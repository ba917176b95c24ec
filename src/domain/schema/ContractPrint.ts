/** Prints a schema without transformations as JSON Schema, in both dialects that are in use. */
import * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** One schema in both dialects. */
export interface Printed {
  /** Draft-07 that is also valid as 2020-12: no tuples, definitions under `definitions`. */
  readonly jsonSchema: JsonSchema.JsonSchema
  /** 2020-12, definitions under `$defs`. */
  readonly jsonSchema2020: JsonSchema.JsonSchema
}

const whole = (
  schema: JsonSchema.JsonSchema,
  key: string,
  definitions: JsonSchema.Definitions
): JsonSchema.JsonSchema => (Object.keys(definitions).length === 0 ? schema : { ...schema, [key]: definitions })

/** Prints a schema with closed objects. Everything is inline except recursive schemas; no reference dangles. */
export const print = (ast: SchemaAST.AST): Printed => {
  const document = Schema.toJsonSchemaDocument(Schema.make<Schema.Top>(ast), { onExcessProperty: "error" })
  const draft07 = JsonSchema.toDocumentDraft07(document)
  return {
    jsonSchema: whole(draft07.schema, "definitions", draft07.definitions),
    jsonSchema2020: whole(document.schema, "$defs", document.definitions)
  }
}

/**
 * Returns the object schema with `properties` and `required` always present, and with additional optional properties.
 */
export const parameters = (
  { properties, required, type, ...rest }: JsonSchema.JsonSchema,
  optional: Readonly<Record<string, JsonSchema.JsonSchema>>
): JsonSchema.JsonSchema => ({
  type: type ?? "object",
  properties: { ...(properties as object | undefined), ...optional },
  required: required ?? [],
  ...rest
})
