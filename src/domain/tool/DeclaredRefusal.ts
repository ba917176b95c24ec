/**
 * The refusals that a tool declares [3.5]: tagged errors with which its handler states that it did nothing.
 *
 * The tag of an error gives the code that a model reads, in snake_case. The schema encodes the fields of the error for
 * models, records and stores, and decodes them for typed callers.
 */
import { isJsonObject } from "#domain/json/JsonObject"
import { type Failure, type FailureTag, refusalOf } from "#domain/failure/Failure"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as FieldKind from "./FieldKind.ts"

/** The schema of a declared refusal, such as a class of `Schema.TaggedError`. */
type RefusalSchema = Schema.Codec<unknown, unknown, never, never>

/** The failure classes that a declared refusal may have. Default `Permanent`. */
export type RefusalClass = Extract<FailureTag, "Permanent" | "ToolArgError">

/** A declared refusal as users write it: the schema alone, or the schema with its class and a hint for the model. */
export type RefusalInput =
  | RefusalSchema
  | { readonly error: RefusalSchema; readonly as?: RefusalClass; readonly hint?: string }

/** A declared refusal. */
export interface DeclaredRefusal {
  readonly tag: string
  /** The tag in snake_case, which the model reads. */
  readonly code: string
  readonly failureClass: RefusalClass
  /** The hint for the model; undefined for the hint of the class. */
  readonly hint: string | undefined
  readonly schema: RefusalSchema
  /** True for a value of the schema's Type, such as an instance of its class. */
  readonly is: (value: unknown) => boolean
  /** Encodes a value of the schema's Type as JSON. */
  readonly encode: (value: unknown) => Result.Result<unknown, unknown>
  /** Decodes JSON to a value of the schema's Type. */
  readonly decode: (json: unknown) => Result.Result<unknown, unknown>
}

/** The error of a declared refusal. */
export interface TaggedError {
  readonly _tag: string
}

/** Returns the declared refusal of a schema. `place` names the tool and the entry, for errors. */
export const make = (place: string, input: RefusalInput): DeclaredRefusal => {
  const parts = partsOf(place, input)
  const tag = Schema.isSchema(parts?.error) ? tagOf(parts.error) : undefined
  if (parts === undefined || tag === undefined) {
    throw new RangeError(
      `${place} is not a tagged error; write a class of Schema.TaggedError with fields, one entry for each class.`
    )
  }
  const { as, error, hint } = parts
  const json = codecOf(place, tag, error)
  return {
    tag,
    code: codeOf(tag),
    failureClass: as ?? "Permanent",
    hint,
    schema: error,
    is: Schema.is(error),
    encode: Schema.encodeUnknownResult(json),
    decode: Schema.decodeUnknownResult(json)
  }
}

interface Parts {
  readonly error: RefusalSchema
  readonly as?: RefusalClass
  readonly hint?: string
}

/** Returns the parts of an entry; undefined if it is neither a schema nor an object. */
const partsOf = (place: string, input: RefusalInput): Parts | undefined => {
  if (Schema.isSchema(input)) return { error: input }
  // untyped programs can pass any value
  if (!isJsonObject(input)) return undefined
  FieldKind.check(place, "", input, entry)
  return input
}

/** The kinds of the fields of an entry. `make` checks the error, and the rules of refusals check the class. */
const entry: FieldKind.FieldKinds = {
  error: { remedy: "a tagged error", accepts: () => true },
  as: { remedy: '"Permanent" or "ToolArgError"', accepts: () => true },
  hint: {
    remedy: "one sentence on what the model should do next",
    accepts: (hint) => typeof hint === "string" && hint.trim() !== ""
  }
}

/** Returns the JSON codec of a refusal. Throws if a field has no JSON codec. */
const codecOf = (place: string, tag: string, error: RefusalSchema): RefusalSchema => {
  try {
    return Schema.toCodecJson(error)
  } catch (cause) {
    throw new RangeError(
      `${place} (${tag}) has a field that JSON cannot represent; use fields such as Schema.String, Schema.Finite or a Schema.Struct of these.`,
      { cause }
    )
  }
}

/** Returns the tag that the encoded form of a schema has; undefined if the tag is not one literal. */
export const tagOf = (schema: RefusalSchema): string | undefined => {
  const ast = SchemaAST.toEncoded(schema.ast)
  if (!SchemaAST.isObjects(ast)) return undefined
  const type = ast.propertySignatures.find(({ name }) => name === "_tag")?.type
  return type !== undefined && SchemaAST.isLiteral(type) && typeof type.literal === "string" ? type.literal : undefined
}

/** Returns a tag in snake_case, at most 64 characters long: `OutOfStock` becomes `out_of_stock`. */
export const codeOf = (tag: string): string =>
  tag
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase()
    .slice(0, 64)

/** Returns the error of a refused call for a typed caller; undefined if none of the refusals decodes it. */
export const revive = (declared: ReadonlyArray<DeclaredRefusal>, failure: Failure): TaggedError | undefined => {
  const refusal = refusalOf(failure)
  if (refusal === undefined) return undefined
  for (const each of declared) {
    if (each.code !== failure.code) continue
    const decoded = each.is(failure.cause) ? Result.succeed(failure.cause) : each.decode(refusal)
    // the schema has a tag, as `make` has checked
    if (Result.isSuccess(decoded)) return decoded.success as TaggedError
  }
  return undefined
}
