/** Prints a schema without transformations as JSON Schema, in the two dialects draft-07 and 2020-12. */
import * as JsonSchema from "effect/JsonSchema"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { compact } from "./ScalarUnion.ts"

/** One schema in both dialects. */
export interface PrintedSchema {
  /** The schema in draft-07, with definitions under `definitions`. It has no tuples, so it is also valid as 2020-12. */
  readonly jsonSchema: JsonSchema.JsonSchema
  /** The schema in 2020-12, with definitions under `$defs`. */
  readonly jsonSchema2020: JsonSchema.JsonSchema
}

const whole = (
  schema: JsonSchema.JsonSchema,
  key: string,
  definitions: JsonSchema.Definitions
): JsonSchema.JsonSchema => (Object.keys(definitions).length === 0 ? schema : { ...schema, [key]: definitions })

/**
 * Prints a schema. Everything is inline except recursive schemas, every reference resolves, and unions of scalars are
 * compact. The objects are closed (`error`) or allow undeclared fields (`ignore`).
 */
export const print = (ast: SchemaAST.AST, onExcessProperty: "error" | "ignore" = "error"): PrintedSchema => {
  const { definitions, dialect, schema } = Schema.toJsonSchemaDocument(Schema.make<Schema.Top>(ast), {
    onExcessProperty
  })
  const document = { dialect, schema: compact(schema), definitions: Record.map(definitions, compact) }
  const draft07 = JsonSchema.toDocumentDraft07(document)
  return {
    jsonSchema: whole(draft07.schema, "definitions", draft07.definitions),
    jsonSchema2020: whole(document.schema, "$defs", document.definitions)
  }
}

/**
 * Returns the schema of an object with the additional optional properties. `properties` and `required` are always
 * present.
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
