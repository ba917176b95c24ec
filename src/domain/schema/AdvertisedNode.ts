/**
 * Replaces a node of a schema with a node that can be printed as JSON Schema, and reports everything that JSON Schema
 * cannot express, or that models and validators read badly.
 *
 * Enums become unions of literals, the literal null becomes `Schema.Null`, and non-empty arrays get a lower bound. A
 * node that JSON Schema cannot express is reported and printed as closely as possible.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Finding, findings, type JsonType, mark, mayRefuse } from "./ContractCheck.ts"
import * as SchemaNode from "./SchemaNode.ts"

/** The names from the root to a node. `[]` means the items of an array, and `*` the values of a record. */
export type Path = ReadonlyArray<string>

/** The part of the state of a walk over a schema that a single node needs. */
export interface Walk {
  readonly report: (path: Path, found: ReadonlyArray<Finding>) => void
  readonly visit: (ast: SchemaAST.AST, path: Path) => SchemaAST.AST
  /** True if tuples stay tuples. Otherwise each of their items may have any of their types. */
  readonly keepsTuples: boolean
  /** The replacement of each target of a recursion. */
  readonly recursive: Map<SchemaAST.AST, SchemaAST.Suspend>
}

const finding = (problem: string, remedy: string): ReadonlyArray<Finding> => [{ problem, remedy }]

/** Returns all checks, including those in groups. */
const flat = (checks: ReadonlyArray<SchemaAST.Check<never>> = []): ReadonlyArray<SchemaAST.Check<never>> =>
  checks.flatMap((check) => (check._tag === "FilterGroup" ? [check, ...flat(check.checks)] : [check]))

const hasCheck = (ast: SchemaAST.AST, id: RegExp): boolean =>
  flat(ast.checks).some((check) => id.test(check.annotations?.["representation"]?.id ?? ""))

const jsonType = (ast: SchemaAST.AST): JsonType => {
  switch (ast._tag) {
    case "String":
      return "string"
    case "Number":
      return hasCheck(ast, /\/isInt$/) ? "integer" : "number"
    case "Boolean":
      return "boolean"
    case "Arrays":
      return "array"
    case "Objects":
      return "object"
    default:
      return undefined
  }
}

/**
 * Returns the node that is printed for `ast`, which has no transformations itself. `isExempt` is true if `ast` is
 * marked `serverOnly`.
 */
export const printable = (ast: SchemaAST.AST, path: Path, walk: Walk, isExempt: boolean): SchemaAST.AST => {
  const decoded = SchemaNode.isTransformedInside(ast)
  for (const check of ast.checks ?? []) walk.report(path, findings(check, jsonType(ast), decoded))
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined && !isExempt) {
    walk.report(path, finding("checks on the encoded side are not printed", "move them to the schema itself"))
  }
  const found = isExempt ? [] : unprintable(ast)
  walk.report(path, found)
  return shape(ast, path, walk)
}

const anything = finding("any value is allowed, which tells the model nothing", `declare its fields, or ${mark}`)

/**
 * Returns the findings on a node itself: what JSON Schema cannot express, such as checks on a bigint, and what models
 * or validators read badly, such as `Any`, tuples and the literal null. Findings on its children, and on what single
 * checks print, are separate.
 */
const unprintable = (ast: SchemaAST.AST): ReadonlyArray<Finding> => {
  switch (ast._tag) {
    case "Number":
      return flat(ast.checks).some((check) =>
        /\/is(?:Int|Finite)$/.test(check.annotations?.["representation"]?.id ?? "")
      )
        ? []
        : finding(`Schema.Number also allows the texts "NaN" and "Infinity"`, "use Schema.Finite or Schema.Int")
    case "Any":
    case "Unknown":
    case "ObjectKeyword":
      return anything
    case "Declaration":
      return coded(ast)._tag === "Any" ? anything : [mayRefuse(ast)]
    case "Literal":
      return isNullLiteral(ast) ? finding("null is not a literal", "use Schema.NullOr(Schema.Literals([…]))") : []
    case "Symbol":
    case "UniqueSymbol":
      return finding("JSON has no symbols", "use a string or an enum")
    case "TemplateLiteral":
      return finding("a template literal is not printed exactly", "use Schema.String with Schema.isPattern(/^…$/u)")
    case "BigInt":
      return ast.checks === undefined
        ? []
        : finding("checks on a bigint are not printed", "use Schema.Int, or a string with a pattern")
    case "Arrays":
      return ast.rest.length === 1 && ast.elements.every((element) => element === ast.rest[0])
        ? []
        : finding("every dialect writes tuples differently", "use Schema.Array, or Schema.Struct with names")
    default:
      return []
  }
}

/**
 * True for the literal null, which only plain JavaScript can write: `Schema.Literals(["a", null])`. Effect refuses it
 * in a nested union.
 */
const isNullLiteral = (ast: SchemaAST.Literal): boolean => (ast.literal as unknown) === null // its type excludes null

const nothing = new SchemaAST.IndexSignature(SchemaAST.string, SchemaAST.never)

const shape = (ast: SchemaAST.AST, path: Path, walk: Walk): SchemaAST.AST => {
  const { annotations, checks } = ast
  switch (ast._tag) {
    case "Enum": {
      const literals = ast.enums.map(([, value]) => new SchemaAST.Literal(value))
      return new SchemaAST.Union(literals, undefined, annotations, checks)
    }
    case "Literal":
      return isNullLiteral(ast) ? new SchemaAST.Null(annotations) : ast
    case "BigInt":
      return Schema.String.check(Schema.isPattern(/^-?\d+$/u)).ast
    case "Unknown":
    case "ObjectKeyword":
      return new SchemaAST.Any(annotations)
    case "Declaration":
      return coded(ast)
    case "Union":
      return new SchemaAST.Union(
        ast.types.map((type) => walk.visit(type, path)),
        ast.options,
        annotations,
        checks
      )
    case "Arrays":
      return list(ast, path, walk)
    case "Objects":
      return object(ast, path, walk)
    case "Suspend":
      return recursion(ast, path, walk)
    default:
      return ast
  }
}

/** Returns the schema that the JSON codec of a class or built-in type reads. */
const coded = (ast: SchemaAST.AST): SchemaAST.AST => {
  const wire = SchemaAST.toEncoded(Schema.toCodecJson(Schema.make<Schema.Codec<unknown, unknown>>(ast)).ast)
  return wire._tag === "Declaration" || wire._tag === "Unknown" ? new SchemaAST.Any(ast.annotations) : wire
}

const list = (ast: SchemaAST.Arrays, path: Path, walk: Walk): SchemaAST.AST => {
  const visited = (types: ReadonlyArray<SchemaAST.AST>) => types.map((type) => walk.visit(type, [...path, "[]"]))
  if (walk.keepsTuples && ast.elements.length > 0) {
    const [elements, rest] = [visited(ast.elements), visited(ast.rest)]
    return new SchemaAST.Arrays(false, elements, rest, ast.annotations, ast.checks)
  }
  const items = visited([...new Set([...ast.elements, ...ast.rest])])
  const least =
    ast.elements.filter((element) => !SchemaAST.isOptional(element)).length + Math.max(0, ast.rest.length - 1)
  const bounds = [
    ...(least > 0 ? [Schema.isMinLength(least)] : []),
    ...(ast.rest.length === 0 ? [Schema.isMaxLength(ast.elements.length)] : [])
  ]
  const checks = [...(ast.checks ?? []), ...bounds]
  const [item = SchemaAST.never] = items.length > 1 ? [new SchemaAST.Union(items)] : items
  return new SchemaAST.Arrays(
    false,
    [],
    [SchemaNode.rebuild(item, { annotations: item.annotations, checks: item.checks })],
    ast.annotations,
    // `Checks` is a tuple with at least one element.
    checks.length === 0 ? undefined : (checks as unknown as SchemaAST.Checks)
  )
}

const object = (ast: SchemaAST.Objects, path: Path, walk: Walk): SchemaAST.AST => {
  const isEmpty = ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0
  if (isEmpty && path.length > 0) {
    walk.report(path, finding("an empty struct accepts any value", "remove the field"))
  }
  const properties = ast.propertySignatures.map(({ name, type }) => {
    const at = [...path, String(name)]
    if (typeof name !== "string") walk.report(at, finding("a field name is not a string", "use a string"))
    if (String(name) in {})
      walk.report(at, finding("every JavaScript object has a member of this name", "rename the field"))
    return new SchemaAST.PropertySignature(String(name), walk.visit(type, at))
  })
  const indexes = ast.indexSignatures.map(({ parameter, type }) => {
    const at = [...path, "*"]
    const isText = parameter._tag === "String" && parameter.encoding === undefined
    if (!isText)
      walk.report(at, finding("the keys of a record are not plain strings", "use Schema.String, or declare the fields"))
    else for (const check of parameter.checks ?? []) walk.report(at, findings(check, "string", false))
    return new SchemaAST.IndexSignature(isText ? parameter : SchemaAST.string, walk.visit(type, at))
  })
  return new SchemaAST.Objects(properties, isEmpty ? [nothing] : indexes, ast.annotations, ast.checks)
}

const recursion = (ast: SchemaAST.Suspend, path: Path, walk: Walk): SchemaAST.AST => {
  const target = ast.thunk()
  const known = walk.recursive.get(target)
  if (known !== undefined) return known
  let rebuilt: SchemaAST.AST = SchemaAST.never
  const placeholder = new SchemaAST.Suspend(() => rebuilt)
  walk.recursive.set(target, placeholder)
  const visited = walk.visit(target, path)
  const identifier = SchemaAST.resolveIdentifier(target) ?? path.findLast((part) => /^\w+$/.test(part)) ?? "Value"
  rebuilt = SchemaNode.rebuild(visited, { annotations: { ...visited.annotations, identifier }, checks: visited.checks })
  return placeholder
}
