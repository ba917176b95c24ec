/** A failure that the guard found and did not enforce: the `enforce` of the tool is `advise`, or the guard is a shadow. */
import * as Schema from "effect/Schema"
import type { Failure } from "#domain/failure/Failure"

export const UnenforcedFailure = Schema.Struct({
  /** The class of the failure. */
  class: Schema.String,
  /** The code of the failure. */
  code: Schema.String,
  /** The path of the first affected field in the arguments or the result; absent if the failure names no field. */
  path: Schema.optionalKey(Schema.String),
  /** The failure in one line: the `detail` that the caller did not get. */
  detail: Schema.String
})
export type UnenforcedFailure = typeof UnenforcedFailure.Type

/** Returns the description of a failure that was not enforced. */
export const of = ({
  _tag,
  code,
  detail,
  fields
}: Pick<Failure, "_tag" | "code" | "detail" | "fields">): UnenforcedFailure => {
  const path = fields?.[0]
  return { class: _tag, code, ...(path === undefined ? {} : { path }), detail }
}
