/**
 * Schemas for strings that contain a value as a Python client prints it: `"{'id': 7, 'tags': None}"`.
 *
 * **Example** (A service that answers with a Python repr)
 *
 * ```ts import.meta.vitest
 * import { Schema } from "effect"
 * import { PythonRepr } from "effect-toolguard"
 *
 * const Answer = Schema.Struct({ response: PythonRepr.fromReprString(Schema.Struct({ id: Schema.Int })) })
 *
 * Schema.decodeUnknownSync(Answer)({ response: "{'id': 7, 'tags': None}" }) // => { response: { id: 7 } }
 * ```
 */
import { read } from "#domain/json/PythonRepr"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"

/** The type that `fromReprString` returns. */
export interface fromReprString<S extends Schema.Constraint> extends Schema.decodeTo<S, Schema.String> {}

const ReprString = Schema.String.annotate({ expected: "a string that contains a Python value or JSON" })

const parse = SchemaGetter.transformEffect((text: string, options) => {
  const value = parsed(text)
  return Option.isSome(value)
    ? Effect.succeed(value.value)
    : Effect.fail(new SchemaIssue.InvalidValue({ expected: "the repr of a Python value or JSON" }, text, options))
})

const parsed = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text))
  } catch {
    const repr = read(text)
    return repr._tag === "Read" ? Option.some(repr.value) : Option.none()
  }
}

/**
 * Returns a schema for strings that contain a value as JSON, or as the repr of a Python dict, list or model. Encoding
 * writes JSON.
 */
export const fromReprString = <S extends Schema.Constraint>(schema: S): fromReprString<S> =>
  ReprString.pipe(Schema.decodeTo(schema, { decode: parse, encode: SchemaGetter.stringifyJson() }))
