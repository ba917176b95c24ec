/** Representative schemas of a parameter. A contract can express each of them. */
import { Effect, Schema, SchemaGetter } from "effect"

export interface Category {
  readonly name: string
  readonly children: ReadonlyArray<Category>
}
export const Category: Schema.Codec<Category> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Category> => Category))
}).annotate({ identifier: "Category" })

export class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite, y: Schema.optionalKey(Schema.Finite) }) {}

export class Line extends Schema.Opaque<Line>()(Schema.Struct({ from: Point, to: Point })) {}

const Text = Schema.String

export const texts = {
  string: Text,
  nonEmpty: Schema.NonEmptyString,
  codePoints: Text.check(Schema.isMinCodePoints(2), Schema.isMaxCodePoints(3)),
  betweenCodePoints: Text.check(Schema.isBetweenCodePoints(1, 2)),
  pattern: Text.check(Schema.isPattern(/^[a-z]+$/u)),
  anyTwo: Text.check(Schema.isPattern(/^.{1,2}$/u)),
  letters: Text.check(Schema.isPattern(/^\p{L}\w*$/u)),
  sticky: Text.check(Schema.isPattern(/a/uy)),
  global: Text.check(Schema.isPattern(/a/gu)),
  uuid: Text.check(Schema.isUUID()),
  guid: Text.check(Schema.isGUID()),
  ulid: Text.check(Schema.isULID()),
  base64: Text.check(Schema.isBase64()),
  base64Url: Text.check(Schema.isBase64Url()),
  ascii: Text.check(Schema.isAscii()),
  trimmed: Schema.Trimmed,
  starting: Text.check(Schema.isStartingWith("a")),
  ending: Text.check(Schema.isEndingWith("b")),
  including: Text.check(Schema.isIncluding("-")),
  finiteText: Text.check(Schema.isStringFinite()),
  trim: Schema.Trim,
  lower: Text.pipe(Schema.decode({ decode: SchemaGetter.toLowerCase(), encode: SchemaGetter.passthrough() })),
  numberFromText: Schema.NumberFromString,
  brand: Text.pipe(Schema.brand("Id")),
  bigint: Schema.BigInt
}

export const numbers = {
  finite: Schema.Finite,
  int: Schema.Int,
  natural: Schema.Natural,
  int32: Schema.Finite.check(Schema.isInt32()),
  uint32: Schema.Finite.check(Schema.isUint32()),
  checkedInt: Schema.Finite.check(Schema.isInt()),
  between: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
  open: Schema.Finite.check(
    Schema.isBetween({ minimum: 1, maximum: 100, exclusiveMinimum: true, exclusiveMaximum: true })
  ),
  above: Schema.Finite.check(Schema.isGreaterThan(0)),
  below: Schema.Finite.check(Schema.isLessThan(1.5)),
  multiple: Schema.Int.check(Schema.isMultipleOf(5)),
  even: Schema.Int.check(Schema.makeFilter((n: number) => n % 2 === 0, { toJsonSchema: () => ({ multipleOf: 2 }) }))
}

export const choices = {
  boolean: Schema.Boolean,
  bit: Schema.BooleanFromBit,
  null: Schema.Null,
  literal: Schema.Literal("a"),
  one: Schema.Literal(1),
  literals: Schema.Literals(["a", "ab", "😀"]),
  numbers: Schema.Literals([0, 1, 1.5]),
  mixed: Schema.Literals(["a", 1, true]),
  enum: Schema.Enum({ North: "a", South: "ab" } as const),
  nullish: Schema.NullishOr(Schema.String),
  union: Schema.Union([Schema.String, Schema.Int]),
  structs: Schema.Union([
    Schema.Struct({ a: Schema.String }),
    Schema.Struct({ a: Schema.Int, b: Schema.optionalKey(Schema.Int) })
  ]),
  tagged: Schema.TaggedUnion({ Circle: { r: Schema.Finite }, Square: { a: Schema.Finite } }),
  discriminated: Schema.Union([
    Schema.Struct({ k: Schema.Literal("a"), v: Schema.Int }),
    Schema.Struct({ k: Schema.Literals(["b", "c"]), w: Schema.Int }),
    Schema.Null
  ]),
  exclusive: Schema.Union(
    [
      Schema.Struct({ a: Schema.optionalKey(Schema.Int) }),
      Schema.Struct({ a: Schema.optionalKey(Schema.Finite), b: Schema.optionalKey(Schema.Int) })
    ],
    { mode: "oneOf" }
  )
}

export const containers = {
  array: Schema.Array(Schema.Int),
  bounded: Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
  pair: Schema.Array(Schema.Trim).check(Schema.isBetweenLength(2, 2)),
  nonEmptyArray: Schema.NonEmptyArray(Schema.Int),
  unique: Schema.UniqueArray(Schema.Finite),
  uniqueStructs: Schema.UniqueArray(
    Schema.Struct({ a: Schema.Finite, b: Schema.optionalKey(Schema.Literals([0, 1])) })
  ),
  record: Schema.Record(Schema.String, Schema.Int),
  patternRecord: Schema.Record(Schema.String.check(Schema.isPattern(/^a/u)), Schema.Int),
  longKeys: Schema.Record(Schema.String.check(Schema.isMinCodePoints(2)), Schema.Int),
  literalKeys: Schema.Record(Schema.Literals(["a", "b"]), Schema.Int),
  sizedRecord: Schema.Record(Schema.String, Schema.Int).check(Schema.isMinProperties(1), Schema.isMaxProperties(2)),
  emptyRecord: Schema.Record(Schema.String, Schema.Never),
  rest: Schema.StructWithRest(Schema.Struct({ a: Schema.Int }), [Schema.Record(Schema.String, Schema.Finite)]),
  struct: Schema.Struct({ x: Schema.Int, y: Schema.optionalKey(Schema.String) }),
  class: Point,
  opaque: Line,
  recursive: Category
}

/** Fields that are optional or have a default. */
export const keys = {
  optionalKey: Schema.optionalKey(Schema.String),
  optional: Schema.optional(Schema.Int),
  mutable: Schema.mutableKey(Schema.Int),
  defaultKey: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
  default: Schema.String.pipe(Schema.withDecodingDefault(Effect.succeed("x"))),
  defaultTypeKey: Schema.Trim.pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed("x"))),
  defaultType: Schema.NullOr(Schema.Int).pipe(Schema.withDecodingDefaultType(Effect.succeed(null))),
  defaultStruct: Schema.Struct({ a: Schema.Trim }).pipe(Schema.withDecodingDefault(Effect.succeed({ a: "x" }))),
  checkedDefault: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))).check(Schema.isLessThan(10)),
  sizedDefault: Schema.Struct({ a: Schema.Int })
    .check(Schema.isMinProperties(1))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({ a: 1 })))
}
