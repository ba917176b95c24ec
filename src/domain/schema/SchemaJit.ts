/**
 * Lets Effect compile the parsers of a tool's schemas to JavaScript, which makes decoding three to ten times as fast.
 *
 * **Details**
 *
 * - A parser is compiled when it is first used. Only the given schema is compiled, and not those of the host.
 * - Where code cannot be generated from strings (a Content Security Policy, `--disallow-code-generation-from-strings`),
 *   Effect interprets the schema as before.
 * - The schemas of other servers are not compiled, so that no text of another server becomes code.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaJITCompiler from "effect/schema/SchemaJITCompiler"

/** Compiles the decoder and the encoder of a schema. Returns the schema. */
export const compiled = <S extends Schema.Constraint>(schema: S): S => {
  SchemaJITCompiler.enable(schema.ast)
  SchemaJITCompiler.enable(SchemaAST.flip(schema.ast))
  return schema
}
