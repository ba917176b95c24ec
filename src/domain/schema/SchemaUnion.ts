/** Analyses the members of a union: their literal values, or the tag that distinguishes them. */
import * as SchemaAST from "effect/SchemaAST"

/**
 * Returns the members of a union on the encoded side, with nested unions and suspensions resolved. Any other schema is
 * its only member.
 */
const members = (schema: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  const ast = SchemaAST.toEncoded(schema)
  if (ast._tag === "Suspend") return members(ast.thunk())
  return ast._tag === "Union" ? ast.types.flatMap(members) : [ast]
}

const values = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (ast._tag === "Literal") return [String(ast.literal)]
  if (ast._tag === "Enum") return ast.enums.map(([, value]) => String(value))
  return ast._tag === "Null" ? ["null"] : undefined
}

/** Computes a property of a schema once: each refused call asks for the same properties of the same schemas. */
const ofSchema = <A>(compute: (ast: SchemaAST.AST) => A): ((ast: SchemaAST.AST) => A) => {
  const known = new WeakMap<SchemaAST.AST, { readonly property: A }>()
  return (ast) => {
    const found = known.get(ast)
    if (found !== undefined) return found.property
    const property = compute(ast)
    known.set(ast, { property })
    return property
  }
}

/**
 * Returns the values of an enum, a literal or a union of enums and literals, including `null` if it is allowed. Returns
 * `undefined` for any other schema.
 */
export const literals = ofSchema((ast): ReadonlyArray<string> | undefined => {
  const all = members(ast).map(values)
  const known = all.flatMap((each) => each ?? [])
  return known.some((value) => value !== "null") && all.every((each) => each !== undefined)
    ? [...new Set(known)]
    : undefined
})

/** Returns the types, in JSON, of the literal values of an enum: `string`, `number`, `boolean`. */
export const literalTypes = ofSchema(
  (ast): ReadonlySet<string> =>
    new Set(
      members(ast).flatMap((member) => {
        const own =
          member._tag === "Literal"
            ? [member.literal]
            : member._tag === "Enum"
              ? member.enums.map(([, value]) => value)
              : []
        return own.map((value) => (typeof value === "bigint" ? "string" : typeof value))
      })
    )
)

const notFinite: ReadonlySet<unknown> = new Set(["NaN", "Infinity", "-Infinity"])

/**
 * True for the form that Effect gives to `Schema.Number` in JSON: a finite number, or the name of a number that JSON
 * lacks. Texts describe it as a number, because that is what the author of the schema wrote.
 */
export const isNumberForm = ofSchema((ast): boolean => {
  if (ast._tag !== "Union" || ast.checks !== undefined) return false
  const all = ast.types.flatMap((type) => (type._tag === "Union" && type.checks === undefined ? type.types : [type]))
  const names = new Set(all.flatMap((type) => (type._tag === "Literal" ? [type.literal] : [])))
  return (
    names.size === notFinite.size &&
    [...names].every((name) => notFinite.has(name)) &&
    all.filter(({ _tag }) => _tag !== "Literal").every(({ _tag }) => _tag === "Number") &&
    all.length > names.size
  )
})

/** Returns the object members of a union whose discriminator has a value. */
export const taggedBy = (union: SchemaAST.AST, key: string, value: unknown): ReadonlyArray<SchemaAST.Objects> =>
  members(union).flatMap((ast) => {
    const tag = ast._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === key) : undefined
    return ast._tag === "Objects" && tag !== undefined && literals(tag.type)?.includes(String(value)) ? [ast] : []
  })

/** The field whose literal value distinguishes the object members of a union. */
interface Discriminator {
  readonly key: string
  readonly values: ReadonlyArray<string>
}

/**
 * Returns the discriminator of a union with at least two objects: the first field that is a required literal in all of
 * them.
 */
export const discriminator = ofSchema((union): Discriminator | undefined => {
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
})
