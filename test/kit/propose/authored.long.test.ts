/**
 * Tests faults in results whose schemas are written in Effect: each fault has its group, and the proposed source accepts
 * this group and no other value.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Case, pool, runCases, subject, subjects, wrappers } from "./authoredCases.ts"
import { Schema } from "effect"

const [field, ...inner] = wrappers

/** Breaks each subject as a field with some values, and at one other place with a few. */
const cases: ReadonlyArray<Case> = subjects.flatMap((one, index) => {
  const other = inner[index % inner.length]!
  return pool.flatMap((value, at): ReadonlyArray<Case> => {
    const isTaken = value === null || (at + index) % 24 === 0
    const isOther = value === null || (at + index) % 40 === 0
    return [...(isTaken ? [[one, field!, value] as const] : []), ...(isOther ? [[one, other, value] as const] : [])]
  })
})

describe("proposals for schemas that are written in Effect", () => {
  it("13.1 each fault is listed at its path, and the pasted line and module accept its group and nothing else", () => {
    const findings = runCases(cases)
    assert.isAbove(findings.length, 200)
    assert.deepStrictEqual(
      findings.filter(({ wrong }) => wrong.length > 0),
      []
    )
    const written = findings.filter(({ line }) => line !== undefined)
    assert.isAbove(written.length, 0.9 * findings.length)
  })

  const of = (schema: Schema.Top, good: unknown, broken: unknown) => {
    const [finding] = runCases([[subject("a value", schema, good), field!, broken]])
    return [finding?.problem, finding?.suggestion, finding?.line]
  }

  it("13.1 a number is called a number, and its rules stay in the proposal", () => {
    const price = Schema.Number.check(Schema.isGreaterThan(0))
    assert.deepStrictEqual(
      [null, "n/a", "12", -3].map((broken) => of(price, 5, broken)),
      [
        ["expected number, got null", "nullable", "x: Schema.NullOr(Schema.Number.check(Schema.isGreaterThan(0)))"],
        [
          "expected number, got string",
          "wider type",
          "x: Schema.Union([Schema.Number.check(Schema.isGreaterThan(0)), Schema.String])"
        ],
        [
          "expected number, got a number as text",
          "wider type",
          [
            "x: Schema.Union([",
            "  Schema.Number.check(Schema.isGreaterThan(0)),",
            "  Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,16})?(?:[eE][+-]?\\d{1,3})?$/u)).pipe(Schema.decodeTo(Schema.FiniteFromString)).check(Schema.isGreaterThan(0))",
            "])"
          ].join("\n")
        ],
        ["expected a value greater than 0", "wider bound", "x: Schema.Number.check(Schema.isGreaterThanOrEqualTo(-3))"]
      ]
    )
    assert.deepStrictEqual(of(Schema.NullOr(price), 5, "n/a")[0], "expected number or null, got string")
  })

  it("13.1 an enum of numbers gets the numbers that were seen", () => {
    assert.deepStrictEqual(of(Schema.Literals([1, 2, 3]), 1, 4), [
      "not one of 3 values",
      "wider enum",
      "x: Schema.Literals([1, 2, 3, 4])"
    ])
  })

  it("13.1 rules that are functions are named, and the rest of the schema stays", () => {
    const name = Schema.String.check(
      Schema.isMaxLength(5),
      Schema.makeFilter((text: string) => text.startsWith("x"), { message: "must start with x" }),
      Schema.makeFilter((text: string) => !text.includes(" "), { message: "must be one word" })
    )
    assert.deepStrictEqual(of(name, "x1", null), [
      "expected string, got null",
      "nullable",
      [
        '// Keep by hand: the rule "must start with x", which is a function.',
        '// Keep by hand: the rule "must be one word", which is a function.',
        "x: Schema.NullOr(Schema.String.check(Schema.isMaxLength(5)))"
      ].join("\n")
    ])
  })

  it("13.1 a value that breaks one of several rules with the same text is left to a person, and does not count as passing", () => {
    const even = Schema.Number.check(
      Schema.makeFilter((value: number) => value % 2 === 0),
      Schema.makeFilter((value: number) => value > 2)
    )
    assert.deepStrictEqual(of(even, 4, 5), ["expected a valid value", "by hand", undefined])
  })

  it("13.1 a text that cannot be converted, or that no template matches, is allowed as it was seen", () => {
    assert.deepStrictEqual(of(Schema.DateTimeUtcFromString, "2020-01-01T00:00:00.000Z", "n/a"), [
      "expected a text that can be converted to DateTime.Utc, got another text",
      "wider enum",
      'x: Schema.Union([Schema.DateTimeUtcFromString, Schema.Literal("n/a")])'
    ])
    assert.deepStrictEqual(of(Schema.TemplateLiteral(["id-", Schema.Number]), "id-5", "5"), [
      "expected a text that matches the template, got another text",
      "wider enum",
      'x: Schema.Union([Schema.TemplateLiteral([Schema.Literal("id-"), Schema.Number]), Schema.Literal("5")])'
    ])
  })

  it("13.1 a change inside a declared type or a class is written where its author maintains it", () => {
    assert.deepStrictEqual(of(Schema.Option(Schema.Finite), { _tag: "None" }, { _tag: "Some", value: null }).slice(1), [
      "nullable",
      "x: Schema.Option(Schema.NullOr(Schema.Finite))"
    ])
    assert.deepStrictEqual(of(Schema.HashMap(Schema.String, Schema.Number), [["a", 1]], [["a", "b"]]).slice(1), [
      "wider type",
      "x: Schema.HashMap(Schema.String, Schema.Union([Schema.Number, Schema.String]))"
    ])
  })

  it("13.1 a wrong literal is listed at its own field if the tag of its object is right", () => {
    assert.deepStrictEqual(
      of(Schema.Option(Schema.Literal("only")), { _tag: "None" }, { _tag: "Some", value: "other" }).slice(1),
      ["wider enum", 'x: Schema.Option(Schema.Literals(["only", "other"]))']
    )
  })

  it("13.1 a change under a function that judges the whole object is left to a person", () => {
    const pair = Schema.Struct({ low: Schema.Int, high: Schema.Int }).check(
      Schema.makeFilter(({ high, low }: { readonly low: number; readonly high: number }) => low < high)
    )
    assert.deepStrictEqual(of(pair, { low: 1, high: 2 }, { low: null, high: 2 }).slice(1), ["by hand", undefined])
    assert.deepStrictEqual(of(pair, { low: 1, high: 2 }, null)[1], "nullable")
  })

  it("13.1 a conversion without source is kept by hand, and nothing inside it is changed", () => {
    const length = subjects.find(({ name }) => name === "own conversion")!
    assert.deepStrictEqual(of(length.schema, "abc", null), [
      "expected string, got null",
      "nullable",
      "// Keep by hand: the conversion of this value.\nx: Schema.NullOr(Schema.String)"
    ])
    const renamed = Schema.Struct({ a: Schema.Int }).pipe(Schema.encodeKeys({ a: "A" }))
    assert.deepStrictEqual(of(renamed, { A: 1 }, { A: null }), ["expected integer, got null", "by hand", undefined])
  })
})
