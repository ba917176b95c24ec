/**
 * Finds the arrays in the JSON of a schema, as dotted paths: `orders`, `data.items`, or empty for the value itself.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** A schema that needs no services. */
type Codec = Schema.Codec<unknown, unknown, never, never>

/** The tags of nodes whose values can be anything, including arrays. */
const open: ReadonlySet<string> = new Set(["Any", "Unknown", "ObjectKeyword", "Declaration"])

/** The maximum depth at which `list` finds arrays, and the maximum number that it returns. */
const maxDepth = 4
const maxListed = 5

const encoded = (schema: Codec): SchemaAST.AST => SchemaAST.toEncoded(Schema.toCodecJson(schema).ast)

/** Returns the members of a union, with nested unions and suspensions resolved. Any other node is its only member. */
const members = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<SchemaAST.AST> => {
  if (ast._tag !== "Union" && ast._tag !== "Suspend") return [ast]
  if (seen.has(ast)) return []
  seen.add(ast)
  const inner = ast._tag === "Suspend" ? [SchemaAST.toEncoded(ast.thunk())] : ast.types
  return inner.flatMap((each) => members(each, seen))
}

/** True if a node is an array of any length. */
const isArray = (ast: SchemaAST.AST): boolean => ast._tag === "Arrays" && ast.rest.length > 0

/** True if a value of the schema can have an array at the path. */
export const has = (schema: Codec, path: string): boolean =>
  reaches(encoded(schema), path === "" ? [] : path.split("."))

const reaches = (ast: SchemaAST.AST, path: ReadonlyArray<string>): boolean => {
  const [name, ...rest] = path
  return members(ast).some((member) => {
    if (open.has(member._tag)) return true
    if (name === undefined) return isArray(member)
    if (member._tag !== "Objects") return false
    const own = member.propertySignatures.find((property) => property.name === name)
    const types = own === undefined ? member.indexSignatures.map(({ type }) => type) : [own.type]
    return types.some((type) => reaches(type, rest))
  })
}

/** Returns the paths of at most five arrays of the schema, the shallowest first. */
export const list = (schema: Codec): ReadonlyArray<string> => {
  const found: Array<string> = []
  let level: ReadonlyArray<readonly [path: string, ast: SchemaAST.AST]> = [["", encoded(schema)]]
  for (let depth = 0; depth <= maxDepth; depth++) {
    const all = level.flatMap(([path, ast]) => members(ast).map((member) => [path, member] as const))
    for (const [path, ast] of all) if (isArray(ast) && !found.includes(path)) found.push(path)
    level = all.flatMap(([path, ast]) =>
      ast._tag !== "Objects"
        ? []
        : ast.propertySignatures.flatMap(({ name, type }) =>
            typeof name !== "string" || name === "" || name.includes(".")
              ? []
              : [[path === "" ? name : `${path}.${name}`, type] as const]
          )
    )
  }
  return found.slice(0, maxListed)
}
