/**
 * Suppresses findings of `toolguard lint` where a guarded tool is defined, with the reason.
 *
 * On the parameters as a whole it holds for the tool, on a field for that field and what is inside of it. It changes nothing
 * of what is advertised or decoded.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Mark from "./Mark.ts"

const annotation = "effect-toolguard/lintIgnore"

/** Suppresses lint rules on a schema: by the rule's id the reason why it does not hold here. */
export const lintIgnore =
  (reasons: Readonly<Record<string, string>>) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    schema.annotate({ [annotation]: reasons })

/** Suppressions at a place of the JSON Schema that is printed of a schema. */
export interface LintIgnores {
  readonly pointer: ReadonlyArray<string>
  readonly reasons: unknown
}

/** All suppressions in a schema. */
export const lintIgnoresOf = (schema: { readonly ast: SchemaAST.AST }): ReadonlyArray<LintIgnores> => {
  const found: Array<LintIgnores> = []
  const seen = new Set<SchemaAST.AST>()
  const walk = (ast: SchemaAST.AST, pointer: ReadonlyArray<string>): void => {
    if (seen.has(ast)) return
    seen.add(ast)
    const reasons = Mark.find(ast, annotation)
    if (reasons !== undefined) found.push({ pointer, reasons })
    const wire = Mark.wire(ast)
    if (SchemaAST.isSuspend(wire)) walk(wire.thunk(), pointer)
    else if (SchemaAST.isUnion(wire)) wire.types.forEach((member) => walk(member, pointer))
    else if (SchemaAST.isArrays(wire)) wire.rest.forEach((element) => walk(element, [...pointer, "items"]))
    else if (SchemaAST.isObjects(wire)) {
      for (const { name, type } of wire.propertySignatures) walk(type, [...pointer, "properties", String(name)])
      for (const { type } of wire.indexSignatures) walk(type, [...pointer, "additionalProperties"])
    }
  }
  walk(schema.ast, [])
  return found
}
