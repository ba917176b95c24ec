/** Tests how the issues of each kind of schema are flattened into problems with their places. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { argumentOptions, fromIssue } from "#domain/schema/IssueWalk"

const issuesOf = (schema: Schema.Top, value: unknown) => {
  // no schema of these tests needs services
  const codec = Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, unknown>
  const decoded = Schema.decodeUnknownResult(codec)(value, argumentOptions)
  return Result.isFailure(decoded) ? fromIssue(decoded.failure.issue) : []
}

class Row extends Schema.Class<Row>("Row")({
  values: Schema.Int,
  entries: Schema.Array(Schema.Int),
  value: Schema.Int
}) {}

const Shape = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("a"), v: Schema.Literal(1), w: Schema.optionalKey(Schema.Literal("x")) }),
  Schema.Struct({ kind: Schema.Literal("b") })
])
const either = Schema.Union(
  [Schema.Struct({ a: Schema.Int }), Schema.Struct({ a: Schema.Int, b: Schema.optionalKey(Schema.Int) })],
  { mode: "oneOf" }
)
const int = { code: "type", expected: "integer", got: "string" }
const said = (message: string) => Schema.String.annotate({ message })

const refusing = (issue: SchemaIssue.Issue): Schema.Top =>
  Schema.String.pipe(Schema.decode({ decode: SchemaGetter.fail(() => issue), encode: SchemaGetter.passthrough() }))

describe("fromIssue", () => {
  const cases: ReadonlyArray<readonly [what: string, Schema.Top, value: unknown, ...issues: ReadonlyArray<object>]> = [
    // the keys of Effect's types are not in their JSON, and the fields of the same names are
    [
      "a map",
      Schema.HashMap(Schema.String, Schema.Int),
      [
        ["a", 1],
        ["b", "x"]
      ],
      { path: [1, 1], ...int }
    ],
    ["a set", Schema.HashSet(Schema.Int), [1, "x"], { path: [1], ...int }],
    ["a map of JavaScript", Schema.ReadonlyMap(Schema.String, Schema.Int), [["b", "x"]], { path: [0, 1], ...int }],
    [
      "a secret",
      Schema.Redacted(Schema.String.check(Schema.isMinLength(5))),
      "x",
      {
        path: [],
        code: "value",
        expected: "at least 5 characters",
        got: "1"
      }
    ],
    ["an option", Schema.Option(Schema.Int), { _tag: "Some", value: "x" }, { path: ["value"], ...int }],
    [
      "a class",
      Row,
      { values: "x", entries: ["y"], value: "z" },
      { path: ["values"], ...int },
      { path: ["entries", 0], ...int },
      { path: ["value"], ...int }
    ],
    // the names of numbers that JSON lacks are not offered
    [
      "a number",
      Schema.Struct({ n: Schema.Number }),
      { n: "abc" },
      {
        path: ["n"],
        code: "type",
        expected: "number",
        got: "string"
      }
    ],
    [
      "a number or a date",
      Schema.Union([Schema.Number, Schema.Date]),
      "abc",
      {
        path: [],
        code: "value",
        expected: "a valid Date"
      }
    ],
    [
      "a number or an object",
      Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Number]),
      "abc",
      {
        path: [],
        code: "type",
        expected: "object or number",
        got: "string"
      }
    ],
    // tags
    ["a tag", Shape, { kind: 5 }, { path: ["kind"], code: "enum", allowed: ["a", "b"], got: "number", sent: 5 }],
    [
      "a tag that is an object",
      Shape,
      { kind: {} },
      {
        path: ["kind"],
        code: "enum",
        allowed: ["a", "b"],
        got: "object"
      }
    ],
    ["a missing tag", Shape, {}, { path: ["kind"], code: "missing", allowed: ["a", "b"] }],
    [
      "another literal beside a right tag",
      Shape,
      { kind: "a", v: 2 },
      {
        path: ["v"],
        code: "enum",
        allowed: ["1"],
        got: "number",
        sent: 2
      }
    ],
    ["a missing literal beside a right tag", Shape, { kind: "a" }, { path: ["v"], code: "missing" }],
    [
      "an optional literal beside a right tag",
      Shape,
      { kind: "a", v: 1, w: "y" },
      {
        path: ["w"],
        code: "enum",
        allowed: ["x"],
        got: "string",
        sent: "y"
      }
    ],
    ["two forms that a value has", either, { a: 1 }, { path: [], code: "ambiguous" }],
    // messages of the author
    [
      "a message for a type",
      Schema.Struct({ a: said(" Send\n a text ") }),
      { a: 1 },
      {
        path: ["a"],
        code: "type",
        expected: "string",
        got: "number",
        message: "Send a text"
      }
    ],
    ["a blank message", said("  "), 1, { path: [], code: "type", expected: "string", got: "number" }],
    [
      "a message of 300 characters",
      said("m".repeat(300)),
      1,
      {
        path: [],
        code: "type",
        expected: "string",
        got: "number",
        message: "m".repeat(200)
      }
    ],
    [
      "a message for an enum",
      Schema.Literals(["x", "y"]).annotate({ message: "x or y" }),
      1,
      {
        path: [],
        code: "type",
        expected: '"x" or "y"',
        got: "number",
        message: "x or y"
      }
    ],
    [
      "the message of the last rule for a type",
      Schema.String.check(Schema.isMinLength(5, { message: "First" }), Schema.isMaxLength(9, { message: "Last" })),
      1,
      { path: [], code: "type", expected: "string", got: "number", message: "Last" }
    ],
    [
      "a refusal",
      refusing(new SchemaIssue.Forbidden({ message: "no" })),
      "x",
      {
        path: [],
        code: "forbidden",
        message: "no"
      }
    ],
    ["a refusal without a message", refusing(new SchemaIssue.Forbidden({})), "x", { path: [], code: "forbidden" }],
    [
      "a value with an expectation",
      refusing(new SchemaIssue.InvalidValue({ expected: "an id" })),
      "x",
      {
        path: [],
        code: "value",
        expected: "an id"
      }
    ],
    [
      "a value with a message",
      refusing(new SchemaIssue.InvalidValue({ message: "bad" })),
      "x",
      {
        path: [],
        code: "value",
        message: "bad"
      }
    ],
    // missing and excess elements and fields
    ["a missing element", Schema.Tuple([Schema.Int, Schema.String]), [1], { path: [1], code: "missing" }],
    ["an excess element", Schema.Tuple([Schema.Int]), [1, 2], { path: [1], code: "unexpected", allowed: [] }],
    [
      "excess fields",
      Schema.Struct({ a: Schema.optionalKey(Schema.Int) }),
      { z: 1, b: 2 },
      { path: ["b"], code: "unexpected", allowed: ["a"] },
      { path: ["z"], code: "unexpected", allowed: ["a"] }
    ]
  ]
  for (const [what, schema, value, ...issues] of cases)
    it(`4.4 describes ${what}`, () => assert.deepStrictEqual<ReadonlyArray<object>>(issuesOf(schema, value), issues))

  it("4.4 a message that repeats more than 40 characters of a text is left out", () => {
    const echoing = (length: number) =>
      Schema.String.check(Schema.makeFilter((text) => `not "${text.slice(0, length)}"`))
    const text = "abcdefghij".repeat(6)
    const messages = (length: number) => issuesOf(echoing(length), text).map(({ message }) => message)
    assert.deepStrictEqual(messages(40), [`not "${text.slice(0, 40)}"`])
    assert.deepStrictEqual(messages(41), [undefined])
  })
})
