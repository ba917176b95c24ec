/**
 * A search for secrets in the values that one schema describes, compiled: it reads their texts and nothing else.
 *
 * **Details**
 *
 * - Numbers and flags hold no secret, and names of fields are judged once, when the search is compiled. What the schema
 *   does not say in full (records, unions of objects, unknown values, names that may tell of a secret) is read as any
 *   value is, and so is what is not as the schema says.
 * - The code names the fields that it reads: a loop over a list of names costs more than the whole search.
 *
 * **Gotchas**
 *
 * Sees no field that the schema does not name: only for values that the schema's own decoder or encoder has just made.
 */
import * as SchemaAST from "effect/SchemaAST"
import { mayTell } from "./FieldNames.ts"
import { isClean, redactClosely, redactJson, shortestName } from "./RedactedJson.ts"
import * as SecretFinder from "./SecretFinder.ts"

/** Whether a value may hold a secret. */
type Search = (value: unknown) => boolean

/** `redactJson`; with the schema of a value that its decoder or encoder has just made the same result, quicker. */
export const makeRedactor = (finders: SecretFinder.Finders) => {
  const searches = new WeakMap<SchemaAST.AST, Search>()
  const searchOf = (shape: SchemaAST.AST): Search => {
    const known = searches.get(shape)
    if (known !== undefined) return known
    const made = compile(finders, shape)
    searches.set(shape, made)
    return made
  }
  return (value: unknown, shape?: SchemaAST.AST): unknown => {
    if (shape === undefined) return redactJson(finders, value)
    return searchOf(shape)(value) ? redactClosely(finders, value) : value
  }
}

/** Compiles a search. Where code may not be made from text (`new Function`) it reads as any value is read. */
export const compile = (finders: SecretFinder.Finders, shape: SchemaAST.AST): Search => {
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

/** The expression for what holds no secret. */
const never = "false"
const deepest = 16

/** The source of an expression that is true where the value at `place` may hold a secret. */
const sourceOf = (ast: SchemaAST.AST, place: string, depth: number): string => {
  if (isHarmless(ast)) return never
  if (isText(ast) || (SchemaAST.isUnion(ast) && ast.types.every((type) => isText(type) || isHarmless(type)))) {
    return `text(${place})`
  }
  if (depth < deepest && SchemaAST.isArrays(ast)) return arraySource(ast, place, depth)
  if (depth < deepest && SchemaAST.isObjects(ast)) return objectSource(ast, place, depth)
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
    if (typeof name !== "string" || name.length >= shortestName || mayTell(name)) return `any(${place})`
    const source = sourceOf(type, `${place}[${JSON.stringify(name)}]`, depth + 1)
    if (source !== never) sources.push(source)
  }
  if (sources.length === 0) return never
  return `(typeof ${place} === "object" && ${place} !== null ? ${sources.join(" || ")} : any(${place}))`
}
