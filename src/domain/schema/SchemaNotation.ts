/**
 * Remembers which schemas were compiled from JSON Schema, so that changes to them are proposed in JSON Schema, and not
 * as Effect source.
 */
import type * as SchemaAST from "effect/SchemaAST"

/** The notation in which the owner of a tool maintains a schema. */
type SchemaNotation = "effect" | "json-schema"

const fromJsonSchema = new WeakSet<SchemaAST.AST>()

/** Remembers that a schema was compiled from JSON Schema. Leaves, which schemas share, are not remembered. */
export const markJsonSchema = (ast: SchemaAST.AST): void => {
  if (ast._tag === "Objects" || ast._tag === "Arrays" || ast._tag === "Union") fromJsonSchema.add(ast)
}

/** Remembers the notation of a schema for its encoded side too. */
export const inherit = (encoded: SchemaAST.AST, ast: SchemaAST.AST): SchemaAST.AST => {
  if (notationOf(ast) === "json-schema") markJsonSchema(encoded)
  return encoded
}

/** Returns the notation of a schema. */
export const notationOf = (ast: SchemaAST.AST): SchemaNotation => (fromJsonSchema.has(ast) ? "json-schema" : "effect")
