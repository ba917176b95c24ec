/** Tests the parts and states of the nodes of a schema, and how the requirements of two nodes are compared. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, SchemaAST, SchemaTransformation } from "effect"
import * as SchemaNode from "#domain/schema/SchemaNode"
import { relate } from "#domain/schema/SchemaRelation"

class Row extends Schema.Class<Row>("Row")({ id: Schema.Int }) {}

interface Tree {
  readonly inner?: Tree
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

const always: SchemaAST.Checks = [Schema.makeFilter<unknown>(() => true)]

/** One schema of each kind of node. */
const kinds: ReadonlyArray<Schema.Top> = [
  Schema.Null,
  Schema.Undefined,
  Schema.Void,
  Schema.Never,
  Schema.Any,
  Schema.Unknown,
  Schema.ObjectKeyword,
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.BigInt,
  Schema.Symbol,
  Schema.UniqueSymbol(Symbol.for("a")),
  Schema.Literal("a"),
  Schema.Enum({ A: "a" } as const),
  Schema.TemplateLiteral(["a", Schema.Int]),
  Schema.Array(Schema.String),
  Schema.mutable(Schema.Tuple([Schema.Int])),
  Schema.Struct({ a: Schema.Int }),
  Schema.Record(Schema.String, Schema.Int),
  Schema.Union([Schema.Int, Schema.String], { mode: "oneOf" }),
  Schema.suspend(() => Tree),
  Schema.Date
]

describe("SchemaNode", () => {
  it.each(kinds.map(({ ast }) => [ast._tag, ast] as const))(
    "2.4 a node of the kind %s gets other annotations, rules, transformations and context, and keeps its content",
    (_, ast) => {
      // a suspended schema has no rules of its own
      const checks = ast._tag === "Suspend" ? undefined : always
      const encoding = Schema.Trim.ast.encoding
      const made = SchemaNode.rebuild(ast, { annotations: { title: "T" }, checks, encoding, isOptional: true })
      assert.deepStrictEqual([made.annotations, made.checks, made.encoding], [{ title: "T" }, checks, encoding])
      assert.isTrue(SchemaAST.isOptional(made))
      const again = SchemaNode.rebuild(made, {
        annotations: ast.annotations,
        checks: ast.checks,
        encoding: ast.encoding
      })
      assert.isFalse(SchemaAST.isOptional(again))
      // a suspended schema wraps its function
      assert.deepStrictEqual({ ...again, thunk: undefined }, { ...ast, thunk: undefined })
      assert.deepStrictEqual(SchemaNode.children(again), SchemaNode.children(ast))
    }
  )

  it("2.4 a node without its transformations keeps its rules and annotations, and its children keep theirs", () => {
    const { ast } = Schema.Trim.annotate({ title: "T" })
    const bare = SchemaNode.bare(ast)
    assert.isUndefined(bare.encoding)
    assert.deepStrictEqual([bare.annotations, bare.checks], [ast.annotations, ast.checks])
    const struct = Schema.Struct({ a: Schema.Trim }).ast
    assert.strictEqual(SchemaNode.bare(struct), struct)
  })

  it("2.4 the children of a node are all nodes in it, including the keys of a record", () => {
    const tags = (schema: Schema.Top) => SchemaNode.children(schema.ast).map(({ _tag }) => _tag)
    assert.deepStrictEqual(tags(Schema.TemplateLiteral(["a", Schema.Int])), ["Literal", "Number"])
    assert.deepStrictEqual(tags(Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.String])), [
      "Number",
      "String"
    ])
    assert.deepStrictEqual(
      tags(Schema.StructWithRest(Schema.Struct({ a: Schema.Int }), [Schema.Record(Schema.String, Schema.Json)])),
      ["Number", "String", SchemaNode.children(Schema.Record(Schema.String, Schema.Json).ast)[1]?._tag]
    )
    assert.deepStrictEqual(tags(Schema.Union([Schema.Int, Schema.String])), ["Number", "String"])
    assert.deepStrictEqual(tags(Schema.suspend(() => Tree)), ["Objects"])
    assert.deepStrictEqual(tags(Schema.String), [])
  })

  it("2.4 a transformation is found one or several levels inside a node, and one of the node itself does not count", () => {
    const inside = (schema: Schema.Top) => SchemaNode.isTransformedInside(schema.ast)
    for (const schema of [
      Schema.Struct({ a: Schema.Trim }),
      Schema.Array(Schema.NullOr(Schema.Struct({ a: Schema.Int, b: Schema.Trim }))),
      Schema.Record(Schema.String, Schema.Trim)
    ])
      assert.isTrue(inside(schema))
    for (const schema of [Schema.Trim, Schema.String, Schema.Struct({ a: Schema.Int }), Tree])
      assert.isFalse(inside(schema))
  })

  it("2.4 the states of a value lead from its encoded side through each transformation to the program", () => {
    const tags = (schema: Schema.Top) => SchemaNode.states(schema.ast).map(({ ast, by }) => [ast._tag, by?._tag])
    assert.deepStrictEqual(tags(Schema.Int), [["Number", undefined]])
    assert.deepStrictEqual(tags(Schema.FiniteFromString), [
      ["String", undefined],
      ["Number", "Transformation"]
    ])
    const own = SchemaTransformation.trim()
    const piped = Schema.String.pipe(Schema.decode(own), Schema.decodeTo(Schema.FiniteFromString))
    const states = SchemaNode.states(piped.ast)
    assert.deepStrictEqual(
      states.map(({ ast }) => ast._tag),
      ["String", "String", "String", "Number"]
    )
    assert.isUndefined(states[0]?.by)
    assert.strictEqual(states[1]?.by, own)
    assert.strictEqual(states[2]?.by, SchemaTransformation.passthrough())
    assert.strictEqual(states[3]?.by, Schema.FiniteFromString.ast.encoding?.[0].transformation)
    const defaulted = Schema.Trim.pipe(Schema.withDecodingDefaultKey(Effect.succeed("a")))
    assert.isTrue(SchemaAST.isOptional(SchemaNode.states(defaulted.ast)[0]!.ast))
  })

  it("15.1 a class is distinguished from the types whose JSON is made in another way", () => {
    const isMade = (schema: Schema.Top) =>
      schema.ast._tag === "Declaration" && SchemaNode.isMadeOfParameters(schema.ast)
    assert.isTrue(SchemaNode.isClass(Row.ast))
    assert.isTrue(isMade(Row))
    assert.isTrue(isMade(Schema.Option(Schema.String)))
    assert.isFalse(isMade(Schema.toCodecJson(Schema.Date)))
    for (const schema of [
      Schema.Option(Schema.String),
      Schema.Date,
      Schema.toCodecJson(Schema.Date),
      Schema.DateFromString,
      Schema.Trim,
      Schema.Struct({ id: Schema.Int })
    ])
      assert.isFalse(SchemaNode.isClass(schema.ast))
  })
})

describe("SchemaRelation", () => {
  const relation = (a: Schema.Top, b: Schema.Top) => relate(a.ast, b.ast)
  const min = Schema.isMinLength(1)
  const max = Schema.isMaxLength(9)
  const Text = Schema.String
  const group = Schema.makeFilterGroup([min, max])

  it.each([
    ["the same node", Text, Text],
    ["nodes with different annotations", Text.annotate({ title: "T" }), Text],
    ["rules in another order", Text.check(min, max), Text.check(max, min)],
    ["repeated rules", Text.check(min, min), Text.check(min)],
    ["equal groups of rules", Text.check(group), Text.check(Schema.makeFilterGroup([min, max]))],
    ["objects", Schema.Struct({ a: Text, b: Schema.Int }), Schema.Struct({ a: Text, b: Schema.Int })],
    ["unions", Schema.Union([Text, Schema.Int]), Schema.Union([Text, Schema.Int])],
    ["literals", Schema.Literals(["a", "b"]), Schema.Literals(["a", "b"])],
    ["recursive schemas", Schema.suspend(() => Tree), Schema.suspend(() => Tree)]
  ] as ReadonlyArray<readonly [string, Schema.Top, Schema.Top]>)("2.4 %s are equal", (_, a, b) =>
    assert.strictEqual(relation(a, b), "Equal")
  )

  it.each([
    ["one more rule", Text, Text.check(min)],
    ["one more rule among others", Text.check(min), Text.check(max, min)],
    ["a rule inside", Schema.Struct({ a: Text, b: Text }), Schema.Struct({ a: Text, b: Text.check(min) })],
    [
      "rules in several places",
      Schema.Array(Schema.Struct({ a: Text, b: Text })),
      Schema.Array(Schema.Struct({ a: Text.check(min), b: Text.check(max) })).check(Schema.isMinLength(1))
    ],
    ["a group of rules", Text, Text.check(group)]
  ] as ReadonlyArray<readonly [string, Schema.Top, Schema.Top]>)(
    "2.4 a schema with %s is narrower, and the other is wider",
    (_, wide, narrow) => {
      assert.strictEqual(relation(wide, narrow), "Narrower")
      assert.strictEqual(relation(narrow, wide), "Wider")
    }
  )

  it.each([
    ["types", Text, Schema.Int],
    ["literals", Schema.Literal("a"), Schema.Literal("b")],
    ["enums", Schema.Enum({ A: "a" } as const), Schema.Enum({ A: "b" } as const)],
    ["symbols", Schema.UniqueSymbol(Symbol.for("a")), Schema.UniqueSymbol(Symbol.for("b"))],
    ["built-in types", Schema.Date, Schema.URL],
    ["modes of a union", Schema.Union([Text, Schema.Int]), Schema.Union([Text, Schema.Int], { mode: "oneOf" })],
    ["numbers of members", Schema.Union([Text, Schema.Int]), Schema.Union([Text, Schema.Int, Schema.Null])],
    ["a tuple and an array", Schema.Tuple([Text]), Schema.Array(Text)],
    ["field names", Schema.Struct({ a: Text }), Schema.Struct({ b: Text })],
    ["optional fields", Schema.Struct({ a: Text }), Schema.Struct({ a: Schema.optionalKey(Text) })],
    ["rules", Text.check(min), Text.check(max)],
    ["a rule and a group", Text.check(min), Text.check(Schema.makeFilterGroup([min]))],
    ["a group and a rule", Text.check(Schema.makeFilterGroup([min])), Text.check(min)],
    ["groups of other rules", Text.check(group), Text.check(Schema.makeFilterGroup([min, min]))],
    ["groups with more rules", Text.check(group), Text.check(Schema.makeFilterGroup([min, max, min]))],
    [
      "more rules in one place and fewer in another",
      Schema.Struct({ a: Text, b: Text.check(min) }),
      Schema.Struct({ a: Text.check(min), b: Text })
    ]
  ] as ReadonlyArray<readonly [string, Schema.Top, Schema.Top]>)("2.4 different %s cannot be compared", (_, a, b) => {
    assert.strictEqual(relation(a, b), "Different")
    assert.strictEqual(relation(b, a), "Different")
  })
})
