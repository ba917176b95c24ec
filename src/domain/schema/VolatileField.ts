/**
 * Marks result fields whose changes are irrelevant, such as a time stamp or a request id.
 *
 * These fields are left out of a result's digest, so that a repeated answer is recognised even if they differ [7.1]. A
 * field that one member of a union or of a tuple marks is left out for all members. In a recursive schema, fields are left
 * out down to four levels of the recursion.
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Mark from "./Mark.ts"

const annotation = "effect-toolguard/volatile"

/** Marks a field of a success schema as volatile. */
export const volatile = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [annotation]: true })

/** The marks of a schema: fields of an object, or of each element of an array. */
interface Marks {
  readonly fields: ReadonlyMap<string, Marks | "volatile">
  readonly elements: Marks | undefined
}

const isMarked = (ast: SchemaAST.AST): boolean =>
  Mark.find(ast, annotation) === true || (SchemaAST.isUnion(ast) && ast.types.some(isMarked))

/** The maximum number of levels of a recursive schema in which marks are read, below the first level. */
const longestRecursion = 4

/** The maximum depth at which marks are read. The default limits of answers allow less nesting. */
const maxDepth = 400

/** How many nodes of the schema enclose a node, and how many of them are recursions. */
interface Depth {
  readonly nodes: number
  readonly recursions: number
}

/** Returns a function that finds the marks of a schema. A part that is used in many places is read once. */
const reader = () => {
  const known = Array.from({ length: longestRecursion + 1 }, () => new Map<SchemaAST.AST, Marks | undefined>())
  const marksOf = (schema: SchemaAST.AST, depth: Depth): Marks | undefined => {
    const read = known[depth.recursions]
    if (read === undefined || depth.nodes > maxDepth) return undefined
    if (read.has(schema)) return read.get(schema)
    const marks = inside(Mark.wire(schema), { ...depth, nodes: depth.nodes + 1 })
    read.set(schema, marks)
    return marks
  }
  const inside = (ast: SchemaAST.AST, depth: Depth): Marks | undefined => {
    if (SchemaAST.isSuspend(ast)) return marksOf(ast.thunk(), { ...depth, recursions: depth.recursions + 1 })
    if (SchemaAST.isUnion(ast)) return ast.types.map((member) => marksOf(member, depth)).reduce(both, undefined)
    if (SchemaAST.isObjects(ast)) {
      const fields = new Map<string, Marks | "volatile">()
      for (const { name, type } of ast.propertySignatures) {
        const inner = isMarked(type) ? "volatile" : marksOf(type, depth)
        if (inner !== undefined) fields.set(String(name), inner)
      }
      return fields.size === 0 ? undefined : { fields, elements: undefined }
    }
    if (SchemaAST.isArrays(ast)) {
      const elements = [...ast.elements, ...ast.rest].map((element) => marksOf(element, depth)).reduce(both, undefined)
      return elements === undefined ? undefined : { fields: new Map(), elements }
    }
    return undefined
  }
  return marksOf
}

/** Combines the marks of two members of a union. */
const both = (self: Marks | undefined, that: Marks | undefined): Marks | undefined => {
  if (self === undefined || that === undefined) return self ?? that
  const fields = new Map(self.fields)
  for (const [name, marks] of that.fields) {
    const own = fields.get(name)
    const isWhole = own === "volatile" || marks === "volatile"
    fields.set(name, isWhole ? "volatile" : (both(own, marks) ?? marks))
  }
  return { fields, elements: both(self.elements, that.elements) }
}

/** Returns a function that removes the marked fields from an encoded result; `undefined` if the schema marks none. */
export const without = (schema: { readonly ast: SchemaAST.AST }): ((encoded: unknown) => unknown) | undefined => {
  const marks = reader()(schema.ast, { nodes: 0, recursions: 0 })
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
