/**
 * Marks result fields that change without meaning anything, such as a time stamp or a request id.
 *
 * They are left out of a result's digest, so that "the same answer again" is seen in spite of them (SPEC 7.1).
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const annotation = "effect-toolguard/volatile"

/** Marks a field of a success schema as volatile. */
export const volatile = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [annotation]: true })

/** What a schema marks: the whole value, fields of an object, or of each element. */
interface Marks {
  readonly fields: ReadonlyMap<string, Marks | "volatile">
  readonly elements: Marks | undefined
}

const marksOf = (ast: SchemaAST.AST, depth: number): Marks | undefined => {
  if (depth > 8) return undefined
  if (SchemaAST.isObjects(ast)) {
    const fields = new Map<string, Marks | "volatile">()
    for (const { name, type } of ast.propertySignatures) {
      if (SchemaAST.resolve(type)?.[annotation] === true) fields.set(String(name), "volatile")
      else {
        const inner = marksOf(type, depth + 1)
        if (inner !== undefined) fields.set(String(name), inner)
      }
    }
    return fields.size === 0 ? undefined : { fields, elements: undefined }
  }
  if (SchemaAST.isArrays(ast)) {
    const [rest] = ast.rest
    const elements = rest === undefined ? undefined : marksOf(rest, depth + 1)
    return elements === undefined ? undefined : { fields: new Map(), elements }
  }
  return undefined
}

/** Takes the marked fields out of an encoded result; undefined where the schema marks none. */
export const without = (schema: { readonly ast: SchemaAST.AST }): ((encoded: unknown) => unknown) | undefined => {
  const marks = marksOf(schema.ast, 0)
  return marks === undefined ? undefined : (encoded) => strip(encoded, marks)
}

const strip = (value: unknown, marks: Marks): unknown => {
  if (Array.isArray(value)) {
    const { elements } = marks
    return elements === undefined ? value : value.map((element) => strip(element, elements))
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const inner = marks.fields.get(name)
      return inner === "volatile" ? [] : [[name, inner === undefined ? field : strip(field, inner)]]
    })
  )
}
