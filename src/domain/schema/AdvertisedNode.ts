/**
 * Which schema stands for one node in a JSON Schema, and what JSON Schema cannot say of it.
 *
 * Enums become unions of literals, non-empty arrays get a lower bound; what cannot be represented is reported, and printed
 * as well as it goes.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Finding, findings, type JsonType, mark, mayRefuse } from "./ContractCheck.ts"
import * as SchemaNode from "./SchemaNode.ts"

/** Names from the root to a node; `[]` for the items of an array, `*` for the values of a record. */
export type Path = ReadonlyArray<string>

/** The walk over a whole schema, as one node sees it. */
export interface Walk {
  readonly report: (path: Path, found: ReadonlyArray<Finding>) => void
  readonly visit: (ast: SchemaAST.AST, path: Path) => SchemaAST.AST
  /** What stands for the target of a recursion; made once for each. */
  readonly recursive: Map<SchemaAST.AST, SchemaAST.Suspend>
}

const finding = (problem: string, remedy: string): ReadonlyArray<Finding> => [{ problem, remedy }]

/** All checks, those in groups too. */
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

/** The node that is printed for `ast`, which has no transformations of its own; `isExempt` where the user has marked it. */
export const printable = (ast: SchemaAST.AST, path: Path, walk: Walk, isExempt: boolean): SchemaAST.AST => {
  const decoded = SchemaNode.isTransformedInside(ast)
  for (const check of ast.checks ?? []) walk.report(path, findings(check, jsonType(ast), decoded))
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined && !isExempt) {
    walk.report(path, finding("checks on the encoded side are not printed", "put them on the schema itself"))
  }
  const found = isExempt ? [] : unprintable(ast)
  walk.report(path, found)
  return shape(ast, path, walk)
}

const anything = finding("anything is allowed, so the model is told nothing", `name its fields, or ${mark}`)

/** What JSON Schema cannot say of a node, its children and checks apart. */
const unprintable = (ast: SchemaAST.AST): ReadonlyArray<Finding> => {
  switch (ast._tag) {
    case "Number":
      return flat(ast.checks).some((check) =>
        /\/is(?:Int|Finite)$/.test(check.annotations?.["representation"]?.id ?? "")
      )
        ? []
        : finding(`Schema.Number allows the texts "NaN" and "Infinity" as well`, "use Schema.Finite or Schema.Int")
    case "Any":
    case "Unknown":
    case "ObjectKeyword":
      return anything
    case "Declaration":
      return coded(ast)._tag === "Any" ? anything : [mayRefuse(ast)]
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
        : finding("tuples are written differently in every dialect", "use Schema.Array, or Schema.Struct with names")
    default:
      return []
  }
}

const nothing = new SchemaAST.IndexSignature(SchemaAST.string, SchemaAST.never)

const shape = (ast: SchemaAST.AST, path: Path, walk: Walk): SchemaAST.AST => {
  const { annotations, checks } = ast
  switch (ast._tag) {
    case "Enum": {
      const literals = ast.enums.map(([, value]) => new SchemaAST.Literal(value))
      return new SchemaAST.Union(literals, undefined, annotations, checks)
    }
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

/** What the JSON codec of a class or built-in type reads. */
const coded = (ast: SchemaAST.AST): SchemaAST.AST => {
  const wire = SchemaAST.toEncoded(Schema.toCodecJson(Schema.make<Schema.Codec<unknown, unknown>>(ast)).ast)
  return wire._tag === "Declaration" || wire._tag === "Unknown" ? new SchemaAST.Any(ast.annotations) : wire
}

const list = (ast: SchemaAST.Arrays, path: Path, walk: Walk): SchemaAST.AST => {
  const items = [...new Set([...ast.elements, ...ast.rest])].map((item) => walk.visit(item, [...path, "[]"]))
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
    checks.length === 0 ? undefined : (checks as unknown as SchemaAST.Checks)
  )
}

const object = (ast: SchemaAST.Objects, path: Path, walk: Walk): SchemaAST.AST => {
  const isEmpty = ast.propertySignatures.length === 0 && ast.indexSignatures.length === 0
  if (isEmpty && path.length > 0) {
    walk.report(path, finding("an empty struct takes any value", "leave the field out"))
  }
  const properties = ast.propertySignatures.map(({ name, type }) => {
    const at = [...path, String(name)]
    if (typeof name !== "string") walk.report(at, finding("names of fields are strings", "use a string"))
    if (String(name) in {})
      walk.report(at, finding("every JavaScript object has a member of this name", "rename the field"))
    return new SchemaAST.PropertySignature(String(name), walk.visit(type, at))
  })
  const indexes = ast.indexSignatures.map(({ parameter, type }) => {
    const at = [...path, "*"]
    const isText = parameter._tag === "String" && parameter.encoding === undefined
    if (!isText) walk.report(at, finding("keys of records are plain strings", "use Schema.String, or name the fields"))
    else for (const check of parameter.checks ?? []) walk.report(at, findings(check, "string", false))
    return new SchemaAST.IndexSignature(isText ? parameter : SchemaAST.string, walk.visit(type, at))
  })
  return new SchemaAST.Objects(properties, isEmpty ? [nothing] : indexes, ast.annotations, ast.checks)
}

const recursion = (ast: SchemaAST.Suspend, path: Path, walk: Walk): SchemaAST.AST => {
  const target = ast.thunk()
  const known = walk.recursive.get(target)
  if (known !== undefined) return known
  let made: SchemaAST.AST = SchemaAST.never
  const standIn = new SchemaAST.Suspend(() => made)
  walk.recursive.set(target, standIn)
  const visited = walk.visit(target, path)
  const identifier = SchemaAST.resolveIdentifier(target) ?? path.findLast((part) => /^\w+$/.test(part)) ?? "Value"
  made = SchemaNode.rebuild(visited, { annotations: { ...visited.annotations, identifier }, checks: visited.checks })
  return standIn
}
