/**
 * Separates the nodes of a schema from their transformations, and lists the states of a value from its encoded side to
 * the program.
 */
import * as SchemaAST from "effect/SchemaAST"

/** The properties of a rebuilt node in addition to its children. */
interface Parts {
  readonly annotations?: SchemaAST.AST["annotations"]
  readonly checks?: SchemaAST.Checks | undefined
  readonly isOptional?: boolean
  /** Default: none. */
  readonly encoding?: SchemaAST.AST["encoding"]
}

const leaves = {
  Null: SchemaAST.Null,
  Undefined: SchemaAST.Undefined,
  Void: SchemaAST.Void,
  Never: SchemaAST.Never,
  Any: SchemaAST.Any,
  Unknown: SchemaAST.Unknown,
  ObjectKeyword: SchemaAST.ObjectKeyword,
  String: SchemaAST.String,
  Number: SchemaAST.Number,
  Boolean: SchemaAST.Boolean,
  BigInt: SchemaAST.BigInt,
  Symbol: SchemaAST.Symbol
}

/** Returns a copy of a node with other annotations, checks and transformations. */
export const rebuild = (
  ast: SchemaAST.AST,
  { annotations, checks, encoding, isOptional = false }: Parts
): SchemaAST.AST => {
  const context = isOptional ? new SchemaAST.Context(true, false) : undefined
  switch (ast._tag) {
    case "Declaration":
      return new SchemaAST.Declaration(ast.typeParameters, ast.run, annotations, checks, encoding, context)
    case "Literal":
      return new SchemaAST.Literal(ast.literal, annotations, checks, encoding, context)
    case "UniqueSymbol":
      return new SchemaAST.UniqueSymbol(ast.symbol, annotations, checks, encoding, context)
    case "Enum":
      return new SchemaAST.Enum(ast.enums, annotations, checks, encoding, context)
    case "TemplateLiteral":
      return new SchemaAST.TemplateLiteral(ast.parts, annotations, checks, encoding, context)
    case "Arrays":
      return new SchemaAST.Arrays(ast.isMutable, ast.elements, ast.rest, annotations, checks, encoding, context)
    case "Objects":
      return new SchemaAST.Objects(ast.propertySignatures, ast.indexSignatures, annotations, checks, encoding, context)
    case "Union":
      return new SchemaAST.Union(ast.types, ast.options, annotations, checks, encoding, context)
    case "Suspend":
      return new SchemaAST.Suspend(ast.thunk, annotations, checks, encoding, context)
    default:
      return new leaves[ast._tag](annotations, checks, encoding, context)
  }
}

/** Returns the node without the transformations that lead to it. The transformations of its children are kept. */
export const bare = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast.encoding === undefined ? ast : rebuild(ast, { annotations: ast.annotations, checks: ast.checks })

/**
 * True if the JSON of a declared type is made of the JSON of its type parameters, as for an `Option` or a class, and not
 * converted in another way.
 */
export const isMadeOfParameters = ({ encoding, typeParameters }: SchemaAST.Declaration): boolean => {
  const [link, ...more] = encoding ?? []
  return link === undefined || (more.length === 0 && typeParameters.includes(link.to))
}

/** True for a class: a declared type that is constructed from its only type parameter. */
export const isClass = (ast: SchemaAST.AST): boolean =>
  ast._tag === "Declaration" && ast.encoding !== undefined && isMadeOfParameters(ast)

/** Returns the nodes inside a node. */
export const children = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "TemplateLiteral":
      return ast.parts
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Objects":
      return [
        ...ast.propertySignatures.map(({ type }) => type),
        ...ast.indexSignatures.flatMap(({ parameter, type }) => [parameter, type])
      ]
    case "Union":
      return ast.types
    case "Suspend":
      return [ast.thunk()]
    default:
      return []
  }
}

/** True if a value is transformed somewhere inside the node, not counting the transformations of the node itself. */
export const isTransformedInside = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): boolean =>
  children(ast).some((child) => {
    if (child.encoding !== undefined) return true
    if (seen.has(child)) return false
    seen.add(child)
    return isTransformedInside(child, seen)
  })

/** One state of a value between its encoded side and the program. */
export interface State {
  readonly ast: SchemaAST.AST
  /** The transformation that produces this state from the previous state; absent on the encoded side. */
  readonly by?: SchemaAST.Link["transformation"]
}

/** Returns all states of a value, the encoded side first. */
export const states = (ast: SchemaAST.AST): ReadonlyArray<State> => {
  const [first, ...later] = [...(ast.encoding ?? [])].reverse()
  if (first === undefined) return [{ ast }]
  const path: Array<State> = [...states(first.to)]
  let by = first.transformation
  for (const link of later) {
    const [entry, ...rest] = states(link.to)
    path.push({ ast: entry!.ast, by }, ...rest)
    by = link.transformation
  }
  return [...path, { ast, by }]
}
