/**
 * Reads an annotation of ours from a schema, wherever it stands: on the type, on a check that was added before or after
 * it, on the field's key, or on what the wire carries beneath a transformation.
 */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaNode from "./SchemaNode.ts"

type Annotations = { readonly [name: string]: unknown } | undefined

/** The annotation's value; undefined where the schema does not carry it. What stands nearest to the wire counts. */
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

/** What the wire carries, without the transformations that lead from it. */
export const wire = (ast: SchemaAST.AST): SchemaAST.AST => SchemaNode.states(ast)[0]?.ast ?? ast
