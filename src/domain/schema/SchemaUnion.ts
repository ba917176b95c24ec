/** Analyses the members of a union: their literal values, or the tag that distinguishes them. */
import * as SchemaAST from "effect/SchemaAST"

/**
 * Returns the members of a union on the encoded side, with nested unions and suspensions resolved. Any other schema is
 * its only member.
 */
const members = (schema: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<SchemaAST.AST> => {
  const ast = SchemaAST.toEncoded(schema)
  if (ast._tag !== "Union" && ast._tag !== "Suspend") return [ast]
  if (seen.has(ast)) return []
  seen.add(ast)
  return ast._tag === "Suspend" ? members(ast.thunk(), seen) : ast.types.flatMap((member) => members(member, seen))
}

const values = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  if (ast._tag === "Enum") return ast.enums.map(([, value]) => String(value))
  return ast._tag === "Null" ? ["null"] : undefined
}

/**
 * Returns the values of an enum, a literal or a union of enums and literals, including `null` if it is allowed. Returns
 * `undefined` for any other schema.
 */
export const literals = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  const all = members(ast).map((member) => values(member))
  const known = all.flatMap((each) => each ?? [])
  return known.some((value) => value !== "null") && all.every((each) => each !== undefined)
    ? [...new Set(known)]
    : undefined
}

/** The field whose literal value distinguishes the object members of a union. */
interface Discriminator {
  readonly key: string
  readonly values: ReadonlyArray<string>
}

/**
 * Returns the discriminator of a union with at least two objects: the first field that is a required literal in all of
 * them.
 */
export const discriminator = (union: SchemaAST.AST): Discriminator | undefined => {
  const objects = members(union).filter((ast) => ast._tag === "Objects")
  const [first] = objects
  if (first === undefined || objects.length < 2) return undefined
  for (const { name } of first.propertySignatures) {
    const tags = objects.map((object) => {
      const field = object.propertySignatures.find((property) => property.name === name)
      return field === undefined || SchemaAST.isOptional(field.type) ? undefined : literals(field.type)
    })
    const found = tags.flatMap((tag) => tag ?? [])
    if (typeof name === "string" && tags.every((tag) => tag !== undefined)) {
      return { key: name, values: [...new Set(found)] }
    }
  }
  return undefined
}
