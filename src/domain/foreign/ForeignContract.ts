/**
 * What a tool that somebody else defined demands of its arguments: its JSON Schema decides, as far as it can be checked.
 *
 * Arguments are passed on as they came: a foreign schema says what is valid, and transforms nothing. An object is closed
 * only where the schema says so.
 */
import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as JsonSchema from "effect/JsonSchema"
import type { Contract } from "#domain/Contract"
import { argumentOptions } from "#domain/IssueWalk"
import type { Codec } from "#domain/ToolDefinition"
import { isSmall } from "#domain/ValueSize"
import { compile, type Unchecked } from "./ForeignSchema.ts"

export interface ForeignContract extends Contract {
  readonly schema: Codec
  /** Constraints of the given schema that are not checked. */
  readonly unchecked: ReadonlyArray<Unchecked>
}

/** The contract of a JSON Schema; none at all takes any object. Never throws. */
export const make = (jsonSchema: JsonSchema.JsonSchema = { type: "object" }): ForeignContract => {
  const { schema, unchecked } = compile(jsonSchema)
  const first = SchemaParser.decodeUnknownResult(schema, { ...argumentOptions, errors: "first" })
  const all = SchemaParser.decodeUnknownResult(schema, argumentOptions)
  return {
    schema,
    unchecked,
    jsonSchema,
    jsonSchema2020: jsonSchema,
    decode: (value) => {
      try {
        const decoded = first(value)
        if (Result.isSuccess(decoded)) return Result.succeed(value)
        return isSmall(value) ? Result.map(all(value), () => value) : decoded
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
