/**
 * Reads one of this library's annotations from any part of a schema: the type, a check, the field's key, or the encoded
 * side of a transformation.
 */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaNode from "./SchemaNode.ts"

type Annotations = { readonly [name: string]: unknown } | undefined

/**
 * Returns the value of an annotation; `undefined` if the schema does not have it. If there are several values, the value
 * nearest to the encoded side counts.
 */
export const find = (ast: SchemaAST.AST, name: string): unknown => {
  for (const state of SchemaNode.states(ast)) {
    const found = ownOf(state.ast, name)
    if (found !== undefined) return found
  }
  return undefined
}

const ownOf = ({ annotations, checks, context }: SchemaAST.AST, name: string): unknown =>
  [annotations, ...(checks ?? []).map((check): Annotations => check.annotations), context?.annotations]
    .map((each: Annotations) => each?.[name])
    .find((value) => value !== undefined)

/** Returns the encoded side of a schema, without the transformations that decode it. */
export const wire = (ast: SchemaAST.AST): SchemaAST.AST => SchemaNode.states(ast)[0]?.ast ?? ast
