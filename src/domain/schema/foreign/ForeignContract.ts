/**
 * Creates the contract of a tool from another project. The tool's JSON Schema validates the arguments, as far as Effect
 * can check it.
 *
 * The schema decides which arguments are valid and transforms nothing, so arguments are passed on unchanged. An object
 * is closed only if the schema closes it.
 */
import * as Result from "effect/Result"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import type * as JsonSchema from "effect/JsonSchema"
import type { Contract } from "#domain/schema/Contract"
import { argumentOptions } from "#domain/schema/IssueWalk"
import type { Codec } from "#domain/tool/ToolDefinition"
import { cut } from "#domain/json/ValueDepth"
import { isSmall } from "#domain/json/ValueSize"
import { compile, type UncheckedConstraint } from "./ForeignSchema.ts"

/** The maximum number of levels of an advertised schema. Deeper values become `null`. */
const maxDepth = 256

export interface ForeignContract extends Contract {
  readonly schema: Codec
  /** Constraints of the schema that are not checked. */
  readonly unchecked: ReadonlyArray<UncheckedConstraint>
}

/** Returns the contract of a JSON Schema. The default schema accepts any object. Never throws. */
export const make = (source: JsonSchema.JsonSchema = { type: "object" }): ForeignContract => {
  const { isClosing, schema, unchecked } = compile(source)
  // Digests, prints and requests to models read the schema recursively.
  const jsonSchema = cut(source, maxDepth)
  // The search for excess fields takes most of the time, and most schemas allow such fields.
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
