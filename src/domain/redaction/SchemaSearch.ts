/**
 * Compiles a schema to a search for secrets in the texts of its values.
 *
 * **Details**
 *
 * - Numbers and booleans contain no secret, and field names are checked once, at compile time. Values that the schema
 *   does not describe fully (records, unions of objects, unknown values, fields whose names suggest a secret), and
 *   values that do not match the schema, are searched like any JSON value.
 * - The generated code names the fields that it reads, because a loop over a list of names would take longer than the
 *   whole search.
 *
 * **Gotchas**
 *
 * The search skips fields that the schema does not name. Use it only on values that the schema's decoder or encoder has
 * just returned.
 */
import * as SchemaAST from "effect/SchemaAST"
import { mayBeSecret } from "./FieldNames.ts"
import { isClean, redactClosely, redactJson, shortestName } from "./RedactedJson.ts"
import * as SecretFinder from "./SecretFinder.ts"

/** True if a value may contain a secret. */
type Search = (value: unknown) => boolean

/** Creates a faster `redactJson` for values that the decoder or encoder of a known schema has just returned. */
export const makeRedactor = (finders: SecretFinder.Finders) => {
  const searches = new WeakMap<SchemaAST.AST, Search>()
  const searchOf = (shape: SchemaAST.AST): Search => {
    const known = searches.get(shape)
    if (known !== undefined) return known
    const search = compile(finders, shape)
    searches.set(shape, search)
    return search
  }
  return (value: unknown, shape?: SchemaAST.AST): unknown => {
    if (shape === undefined) return redactJson(finders, value)
    return searchOf(shape)(value) ? redactClosely(finders, value) : value
  }
}

/** Compiles a search. If the platform forbids `new Function`, the search reads the value like any JSON value. */
const compile = (finders: SecretFinder.Finders, shape: SchemaAST.AST): Search => {
  const any: Search = (value) => !isClean(finders, value)
  const text: Search = (value) => (typeof value === "string" ? SecretFinder.finds(finders, value) : any(value))
  const some = (values: unknown, search: Search): boolean => {
    if (!Array.isArray(values)) return any(values)
    for (let i = 0; i < values.length; i++) if (search(values[i])) return true
    return false
  }
  try {
    const code = `return (value) => ${sourceOf(shape, "value", 0)}`
    return new Function("any", "text", "some", code)(any, text, some) as Search
  } catch {
    return any
  }
}

/** The expression for values that contain no secret. */
const never = "false"
const maxDepth = 16

/** Returns the source of an expression that is true if the value at `place` may contain a secret. */
const sourceOf = (ast: SchemaAST.AST, place: string, depth: number): string => {
  if (isHarmless(ast)) return never
  if (isText(ast) || (SchemaAST.isUnion(ast) && ast.types.every((type) => isText(type) || isHarmless(type)))) {
    return `text(${place})`
  }
  if (depth < maxDepth && SchemaAST.isArrays(ast)) return arraySource(ast, place, depth)
  if (depth < maxDepth && SchemaAST.isObjects(ast)) return objectSource(ast, place, depth)
  return `any(${place})`
}

const isText = (ast: SchemaAST.AST): boolean => SchemaAST.isString(ast) || isLiteral(ast, "string")

const isLiteral = (ast: SchemaAST.AST, type: string): boolean => SchemaAST.isLiteral(ast) && typeof ast.literal === type

const isHarmless = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isNumber(ast) ||
  SchemaAST.isBoolean(ast) ||
  SchemaAST.isNull(ast) ||
  SchemaAST.isUndefined(ast) ||
  isLiteral(ast, "number") ||
  isLiteral(ast, "boolean") ||
  (SchemaAST.isUnion(ast) && ast.types.every(isHarmless))

const arraySource = (ast: SchemaAST.Arrays, place: string, depth: number): string => {
  const [item, ...more] = ast.rest
  if (item === undefined || more.length > 0 || ast.elements.length > 0) return `any(${place})`
  const source = sourceOf(item, "item", depth + 1)
  return source === never ? never : `some(${place}, (item) => ${source})`
}

const objectSource = (ast: SchemaAST.Objects, place: string, depth: number): string => {
  if (ast.indexSignatures.length > 0 || ast.propertySignatures.length === 0) return `any(${place})`
  const sources: Array<string> = []
  for (const { name, type } of ast.propertySignatures) {
    if (typeof name !== "string" || name.length >= shortestName || mayBeSecret(name)) return `any(${place})`
    const source = sourceOf(type, `${place}[${JSON.stringify(name)}]`, depth + 1)
    if (source !== never) sources.push(source)
  }
  if (sources.length === 0) return never
  return `(typeof ${place} === "object" && ${place} !== null ? ${sources.join(" || ")} : any(${place}))`
}
