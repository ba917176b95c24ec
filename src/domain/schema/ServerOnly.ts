/**
 * Marks a rule that JSON Schema cannot express. The server checks the rule, and the mark's reason becomes part of the
 * description.
 *
 * Without the mark such a rule is an error when the tool is defined, because the model would not learn everything that
 * is required.
 */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

const annotation = "effect-toolguard/serverOnly"

/** An annotation that is also a function for `pipe`. */
interface ServerOnly {
  <S extends Schema.Top>(schema: S): S["Rebuild"]
  readonly [annotation: string]: unknown
}

/**
 * Describes a rule that only the server checks, as a clause: `serverOnly("the end is not before the start")`.
 *
 * **When to use**
 *
 * On a schema, `Schema.Date.pipe(Contract.serverOnly("an ISO 8601 date and time"))`, or on one check:
 * `Schema.makeFilter(isActive, Contract.serverOnly("an active customer"))`.
 *
 * **Gotchas**
 *
 * On a schema that ends with a check, the mark applies to that check. A schema with several such checks needs one mark
 * for each.
 */
export const serverOnly = (reason: string): ServerOnly => {
  const mark = <S extends Schema.Top>(schema: S): S["Rebuild"] => schema.annotate({ [annotation]: reason })
  const annotations: { readonly [annotation: string]: unknown } = { [annotation]: reason }
  return Object.assign(mark, annotations)
}

const reasonIn = (annotations: { readonly [key: string]: unknown } | undefined): ReadonlyArray<string> => {
  const reason = annotations?.[annotation]
  return typeof reason === "string" && reason.trim() !== "" ? [reason.trim()] : []
}

/** Returns the reasons on a check and on the checks in its group. */
export const reasonsOfCheck = (check: SchemaAST.Check<never>): ReadonlyArray<string> => [
  ...reasonIn(check.annotations),
  ...(check._tag === "FilterGroup" ? check.checks.flatMap(reasonsOfCheck) : [])
]

/** Returns the reasons on a schema, its checks and its key. */
export const reasonsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => [
  ...reasonIn(ast.annotations),
  ...(ast.checks ?? []).flatMap(reasonsOfCheck),
  ...reasonIn(ast.context?.annotations)
]
