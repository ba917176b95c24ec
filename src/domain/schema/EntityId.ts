/**
 * Marks a parameter as an entity id: its value must have appeared in the conversation before [4.5].
 *
 * Strings and numbers at any depth of the parameters can be marked. A mark on an array or a union applies to the ids in
 * it. A literal of a union, such as `all`, is not an id.
 *
 * **Gotchas**
 *
 * Inside a struct with renamed keys, an id with a transformation is not found.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as FieldPath from "#domain/text/FieldPath"
import * as Mark from "./Mark.ts"
import * as SchemaNode from "./SchemaNode.ts"

const annotation = "effect-toolguard/entityId"

/** How the model can look up an id. */
export interface EntityIdOptions {
  /** The name of the tool that looks up ids of this kind. */
  readonly lookup?: string
}

/** Marks a schema as an entity id. The model must have read the value and not invented it. */
export const entityId =
  (options: EntityIdOptions = {}) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    schema.annotate({ [annotation]: options })

/** An id in the arguments of a call. */
interface FoundId {
  /** The place of the id, such as `items[1].order_id`. */
  readonly path: string
  readonly lookup: string | undefined
  readonly value: string
}

/** Returns a function that finds the marked ids in encoded arguments; `undefined` if the schema marks none. */
export const finder = (schema: {
  readonly ast: SchemaAST.AST
}): ((args: unknown) => ReadonlyArray<FoundId>) | undefined => {
  if (!isMarked(schema.ast, new Set())) return undefined
  return (args) => {
    const found = new Map<string, FoundId>()
    collect(schema.ast, args, [], undefined, (id) => found.set(id.path, id))
    return [...found.values()]
  }
}

const optionsOf = (ast: SchemaAST.AST): EntityIdOptions | undefined =>
  Mark.find(ast, annotation) as EntityIdOptions | undefined

const isMarked = (ast: SchemaAST.AST, seen: Set<SchemaAST.AST>): boolean => {
  if (seen.has(ast)) return false
  seen.add(ast)
  return optionsOf(ast) !== undefined || SchemaNode.children(Mark.wire(ast)).some((child) => isMarked(child, seen))
}

const collect = (
  ast: SchemaAST.AST,
  value: unknown,
  path: ReadonlyArray<PropertyKey>,
  inherited: EntityIdOptions | undefined,
  note: (id: FoundId) => void
): void => {
  const options = optionsOf(ast) ?? inherited
  const wire = Mark.wire(ast)
  if (SchemaAST.isSuspend(wire)) return collect(wire.thunk(), value, path, options, note)
  if (SchemaAST.isUnion(wire)) {
    for (const member of membersOf(wire, value)) collect(member, value, path, options, note)
  } else if (typeof value === "string" || typeof value === "number") {
    if (options !== undefined) note({ path: FieldPath.format(path), lookup: options.lookup, value: String(value) })
  } else if (SchemaAST.isArrays(wire) && Array.isArray(value)) {
    value.forEach((element: unknown, index) => {
      const type = wire.elements[index] ?? wire.rest[0]
      if (type !== undefined) collect(type, element, [...path, index], options, note)
    })
  } else if (SchemaAST.isObjects(wire) && typeof value === "object" && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      const property = wire.propertySignatures.find((each) => String(each.name) === name)
      const types = property === undefined ? wire.indexSignatures.map(({ type }) => type) : [property.type]
      for (const type of types) collect(type, field, [...path, name], undefined, note)
    }
  }
}

/** Returns the members that accept a value, or no member if the value is one of the union's literals. */
const membersOf = (union: SchemaAST.Union, value: unknown): ReadonlyArray<SchemaAST.AST> =>
  union.types.some((member) => SchemaAST.isLiteral(member) && member.literal === value)
    ? []
    : union.types.filter((member) => Schema.is(Schema.make(SchemaAST.toEncoded(member)))(value))
