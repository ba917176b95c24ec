/** Tests which texts count as unreadable for a schema that converts them, and which break one of its rules. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaGetter } from "effect"
import { faultsOf, groupsOf } from "./faults.ts"

const shown = (schema: Schema.Top, value: unknown) =>
  faultsOf(schema, value).map(({ kind, problem }) => [kind, problem])

/** Converts `yes` and `no`; any other text has no Boolean. */
const YesNo = Schema.String.pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text: string) =>
      text === "yes" || text === "no" ? text === "yes" : (text as never)
    ),
    encode: SchemaGetter.transform((value: boolean) => (value ? "yes" : "no"))
  })
)
const Half = Schema.FiniteFromString.pipe(
  Schema.decodeTo(Schema.Finite.check(Schema.isLessThan(5)), {
    decode: SchemaGetter.transform((value: number) => value / 2),
    encode: SchemaGetter.transform((value: number) => value * 2)
  })
)
const FromEither = Schema.Union([Schema.Finite, Schema.String]).pipe(
  Schema.decodeTo(Schema.Date, {
    decode: SchemaGetter.transform((value: number | string) => new Date(value)),
    encode: SchemaGetter.transform((value: Date): number | string => value.toISOString())
  })
)
const ToEither = Schema.String.pipe(
  Schema.decodeTo(Schema.Union([Schema.Finite, Schema.Null]), {
    decode: SchemaGetter.transform((text: string) => (text === "" ? null : Number(text))),
    encode: SchemaGetter.transform((value: number | null) => (value === null ? "" : String(value)))
  })
)
const FromInt = Schema.Int.pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((value: number) => BigInt(value)),
    encode: SchemaGetter.transform((value: bigint) => Number(value))
  })
)
const AfterEpoch = Schema.DateFromString.check(Schema.isGreaterThanDate(new Date(0)))

describe("texts of converted values", () => {
  it("13.1 a text that cannot be converted has the kind `text`, and the type that it should have", () => {
    const date = "a text that can be converted to a valid Date"
    for (const [schema, value, expected] of [
      [Schema.DateFromString, "n/a", date],
      [Schema.Date, "n/a", date],
      [AfterEpoch, "n/a", date],
      [Schema.URL, "n/a", "a text that can be converted to URL"],
      [Schema.Uint8Array, "§§", "a text that can be converted to Uint8Array"],
      [Schema.BigInt, "1.5", "a number as text"],
      [Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)), "1.5", "a number as text"],
      [Half, "n/a", "a number as text"],
      [YesNo, "maybe", "a text that can be converted"],
      [ToEither, "n/a", "a text that can be converted"],
      [FromEither, "n/a", date],
      [Schema.TemplateLiteral(["id-", Schema.Number]), "5", "a text that matches the template"],
      [Schema.NullOr(Schema.DateFromString), "n/a", date],
      [Schema.Union([Schema.Finite, Schema.NullOr(AfterEpoch)]), "n/a", date],
      [Schema.suspend(() => Schema.NullOr(Schema.URL)), "n/a", "a text that can be converted to URL"],
      [Schema.Redacted(Schema.DateFromString), "n/a", date]
    ] as const)
      assert.deepStrictEqual(shown(schema, value), [["text", `expected ${expected}, got another text`]])
    assert.deepStrictEqual(shown(Schema.DateFromString.annotate({ message: "must be a date" }), "n/a"), [
      ["text", "must be a date"]
    ])
  })

  it("13.1 a text that was converted, and any text of a plain schema, breaks a rule", () => {
    for (const [schema, value, problem] of [
      [AfterEpoch, "1960-01-01", "expected a value greater than 1970-01-01T00:00:00.000Z"],
      [Schema.BigInt.check(Schema.isGreaterThanBigInt(0n)), "-1", "expected a value greater than 0n"],
      [Half, "12", "expected a value less than 5"],
      [Schema.Trim.check(Schema.isNonEmpty()), "  ", "expected at least 1 character"],
      [Schema.String.check(Schema.isMinLength(3)), "a", "expected at least 3 characters"],
      [Schema.NullOr(Schema.String.check(Schema.isMinLength(3))), "a", "expected at least 3 characters"],
      // the second member reads each text
      [Schema.Union([Schema.URL, Schema.String.check(Schema.isMinLength(4))]), "n/a", "expected a valid URL string"]
    ] as const)
      assert.deepStrictEqual(shown(schema, value), [["rule", problem]])
  })

  it("13.1 a short secret breaks the rule of the text in its `Redacted`", () => {
    const secret = Schema.String.check(Schema.isMinLength(3))
    const [group, ...more] = groupsOf(Schema.Redacted(secret), ["a", "ab"])
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(
      [group?.fault.kind, group?.fault.problem, group?.suggestion, group?.range],
      [
        "rule",
        "expected at least 3 characters",
        { _tag: "wider bound", expected: "at least 3 characters" },
        { least: 1, most: 2 }
      ]
    )
  })

  it("13.1 a value has another type if it is not a text, or if its schema does not convert texts", () => {
    for (const schema of [Schema.DateFromString, Schema.URL, Schema.BigInt, YesNo, Schema.TemplateLiteral(["a"])])
      assert.deepStrictEqual(shown(Schema.Struct({ a: schema }), { a: 5 }), [["type", "expected string, got number"]])
    for (const [schema, expected] of [
      [FromInt, "integer"],
      [Schema.ReadonlySet(Schema.DateFromString), "array"]
    ] as const)
      assert.deepStrictEqual(shown(Schema.Struct({ a: schema }), { a: "n/a" }), [
        ["type", `expected ${expected}, got string`]
      ])
  })

  it("13.1 the values that broke a rule have a range only if the rule judges the JSON itself", () => {
    const short = Schema.String.check(Schema.isMaxLength(2))
    const few = Schema.Finite.check(Schema.isLessThan(2))
    for (const [schema, value, range] of [
      [short, "abc", { least: 3, most: 3 }],
      [few, 3, { least: 3, most: 3 }],
      [Schema.Number.check(Schema.isLessThan(2)), 3, { least: 3, most: 3 }],
      [Schema.NullOr(few), 3, { least: 3, most: 3 }],
      [
        Schema.Union([Schema.String, Schema.Array(Schema.Int)]).check(Schema.isMaxLength(2)),
        "abc",
        { least: 3, most: 3 }
      ],
      [Schema.Array(Schema.Int).check(Schema.isMaxLength(1)), [1, 2], { least: 2, most: 2 }],
      [Schema.Record(Schema.String, Schema.Int).check(Schema.isMaxProperties(0)), { a: 1 }, { least: 1, most: 1 }],
      [Schema.FiniteFromString.check(Schema.isLessThan(2)), "333", undefined],
      [Schema.NullOr(Schema.FiniteFromString.check(Schema.isLessThan(2))), "333", undefined],
      [Schema.Union([few, Schema.FiniteFromString.check(Schema.isLessThan(2))]), "333", undefined],
      [Schema.Trim.check(Schema.isMaxLength(2)), " abc ", undefined],
      [Schema.ReadonlySet(Schema.Int).check(Schema.isMaxSize(1)), [1, 2], undefined]
    ] as const)
      assert.deepStrictEqual(
        groupsOf(schema, [value]).map((group) => [group.fault.kind, group.range]),
        [["rule", range]]
      )
  })
})
