/**
 * Marks a parameter as an entity id: its value must have appeared in the conversation before (SPEC 4.5).
 *
 * Works on string fields of the parameters, also inside nested structs and arrays.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const annotation = "effect-toolguard/entityId"

/** Where the model finds such an id. */
export interface EntityIdOptions {
  /** Name of the tool that looks ids of this kind up. */
  readonly lookup?: string
}

/** Marks a string schema as an entity id that a model must have seen, not made up. */
export const entityId =
  (options: EntityIdOptions = {}) =>
  <S extends Schema.Top>(schema: S): S["Rebuild"] =>
    schema.annotate({ [annotation]: options })

/** One marked parameter. `read` finds its values in encoded arguments. */
export interface MarkedId {
  readonly path: string
  readonly lookup: string | undefined
  readonly read: (args: unknown) => ReadonlyArray<string>
}

type Reader = (value: unknown) => ReadonlyArray<unknown>

/** The marked parameters of a schema. */
export const entityIds = (schema: { readonly ast: SchemaAST.AST }): ReadonlyArray<MarkedId> =>
  walk(schema.ast, "", (value) => [value], 0)

const walk = (ast: SchemaAST.AST, path: string, read: Reader, depth: number): ReadonlyArray<MarkedId> => {
  const options = SchemaAST.resolve(ast)?.[annotation] as EntityIdOptions | undefined
  const own: ReadonlyArray<MarkedId> =
    options === undefined
      ? []
      : [{ path, lookup: options.lookup, read: (args) => read(args).filter((value) => typeof value === "string") }]
  if (depth > 6) return own
  if (SchemaAST.isObjects(ast)) {
    return ast.propertySignatures.reduce<ReadonlyArray<MarkedId>>((found, { name, type }) => {
      const field = String(name)
      return [
        ...found,
        ...walk(
          type,
          path === "" ? field : `${path}.${field}`,
          (value) => read(value).flatMap((it) => property(it, field)),
          depth + 1
        )
      ]
    }, own)
  }
  if (SchemaAST.isArrays(ast)) {
    return ast.rest.reduce<ReadonlyArray<MarkedId>>(
      (found, type) => [
        ...found,
        ...walk(type, `${path}[]`, (value) => read(value).flatMap((it) => (Array.isArray(it) ? it : [])), depth + 1)
      ],
      own
    )
  }
  return own
}

const property = (value: unknown, field: string): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, field)
    ? [(value as Record<string, unknown>)[field]]
    : []
