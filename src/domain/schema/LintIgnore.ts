/**
 * Suppresses findings of `toolguard lint` in the definition of a guarded tool, with a reason.
 *
 * A suppression on the parameters as a whole applies to the tool. A suppression on a field applies to the field and
 * everything inside it. Suppressions do not change the advertised schema or decoding.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Mark from "./Mark.ts"

const annotation = "effect-toolguard/lintIgnore"

/** Suppresses lint rules on a schema. `reasons` has, for each rule id, the reason why the rule does not apply. */
export const lintIgnore =
  (reasons: Readonly<Record<string, string>>) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    schema.annotate({ [annotation]: reasons })

/** The suppressions at one place in the printed JSON Schema. */
interface LintIgnores {
  readonly pointer: ReadonlyArray<string>
  readonly reasons: unknown
}

/** Returns all suppressions in a schema. */
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
    else if (SchemaAST.isArrays(wire)) {
      wire.elements.forEach((element, index) => walk(element, [...pointer, "prefixItems", String(index)]))
      wire.rest.forEach((element) => walk(element, [...pointer, "items"]))
    } else if (SchemaAST.isObjects(wire)) {
      for (const { name, type } of wire.propertySignatures) walk(type, [...pointer, "properties", String(name)])
      for (const { type } of wire.indexSignatures) walk(type, [...pointer, "additionalProperties"])
    }
  }
  walk(schema.ast, [])
  return found
}
