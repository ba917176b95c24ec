/**
 * The contract of a tool from another project. Its JSON Schema validates the arguments, as far as it can be checked.
 *
 * Arguments are passed on unchanged: a foreign schema decides what is valid and transforms nothing. An object is closed
 * only if the schema closes it.
 */
import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as JsonSchema from "effect/JsonSchema"
import type { Contract } from "#domain/schema/Contract"
import { argumentOptions } from "#domain/schema/IssueWalk"
import type { Codec } from "#domain/tool/ToolDefinition"
import { isSmall } from "#domain/json/ValueSize"
import { compile, type Unchecked } from "./ForeignSchema.ts"

export interface ForeignContract extends Contract {
  readonly schema: Codec
  /** Constraints of the schema that are not checked. */
  readonly unchecked: ReadonlyArray<Unchecked>
}

/** Returns the contract of a JSON Schema. Default: any object. Never throws. */
export const make = (jsonSchema: JsonSchema.JsonSchema = { type: "object" }): ForeignContract => {
  const { isClosing, schema, unchecked } = compile(jsonSchema)
  // looking for excess fields is the most expensive part, and most schemas allow them
  const options = { ...argumentOptions, onExcessProperty: isClosing ? "error" : "ignore" } as const
  const first = SchemaParser.decodeUnknownResult(schema, { ...options, errors: "first" })
  const all = SchemaParser.decodeUnknownResult(schema, options)
  return {
    schema,
    unchecked,
    jsonSchema,
    jsonSchema2020: jsonSchema,
    decode: (value) => {
      try {
        const decoded = isSmall(value) ? all(value) : first(value)
        return Result.isSuccess(decoded) ? Result.succeed(value) : decoded
      } catch {
        return Result.fail(
          new SchemaIssue.InvalidValue({ message: "could not be checked: the tool's schema failed on it" })
        )
      }
    },
    encode: (value) => value,
    describe: (description) => description
  }
}
