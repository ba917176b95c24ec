/** Tests how a path of a value leads to a node of its schema. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, type SchemaAST, SchemaGetter } from "effect"
import * as FieldPath from "#domain/text/FieldPath"
import {
  conforms,
  find,
  formOf,
  memberFor,
  nodeAt,
  type Place,
  pathOf,
  resolved,
  valueAt
} from "#domain/faults/FaultPlace"

type Path = ReadonlyArray<PropertyKey>

const placeOf = (schema: Schema.Top, value: unknown, path: Path): Place | undefined =>
  find(schema.ast, value, path)?.place

const field = (name: string) => ({ _tag: "Field", name }) as const
const member = (index: number) => ({ _tag: "Member", index }) as const
const element = (index: number) => ({ _tag: "Element", index }) as const
const form = { _tag: "Form" } as const
const items = { _tag: "Items" } as const
const values = { _tag: "Values" } as const

class Person extends Schema.Class<Person>("Person")({ name: Schema.String }) {}

interface Tree {
  readonly value: number
  readonly trees: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  value: Schema.Int,
  trees: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})

/** A union whose first member is the union itself. */
const Endless: Schema.Codec<unknown> = Schema.Union([
  Schema.suspend((): Schema.Codec<unknown> => Endless),
  Schema.Struct({ a: Schema.Int })
])

describe("FaultPlace.find", () => {
  it("13.1 a path of fields, items, elements and names leads to the node, which the place leads to as well", () => {
    const Pair = Schema.Tuple([Schema.Int, Schema.String])
    const Rows = Schema.StructWithRest(Schema.Struct({ id: Schema.String }), [
      Schema.Record(Schema.TemplateLiteral(["x_", Schema.String]), Schema.Int),
      Schema.Record(Schema.TemplateLiteral(["y_", Schema.String]), Schema.Boolean)
    ])
    const cases: ReadonlyArray<readonly [Schema.Top, unknown, Path, Place, string, SchemaAST.AST["_tag"]]> = [
      [
        Schema.Struct({ a: Schema.Struct({ b: Schema.Int }) }),
        {},
        ["a", "b"],
        [field("a"), field("b")],
        "a.b",
        "Number"
      ],
      [Schema.Array(Schema.Int), [], [3], [items], "[]", "Number"],
      [Pair, [], [1], [element(1)], "[1]", "String"],
      [Schema.TupleWithRest(Pair, [Schema.Boolean]), [], [2], [items], "[]", "Boolean"],
      [Rows, {}, ["id"], [field("id")], "id", "String"],
      [Rows, {}, ["x_1"], [values], "*", "Number"],
      [Rows, {}, ["y_1"], [{ _tag: "Values", index: 1 }], "*", "Boolean"],
      // no signature accepts the name
      [Rows, {}, ["z"], [values], "*", "Number"],
      [Tree, {}, [], [], "", "Objects"]
    ]
    for (const [schema, value, path, place, text, tag] of cases) {
      const found = find(schema.ast, value, path)
      assert.deepStrictEqual([found?.place, found?.node._tag], [place, tag])
      assert.strictEqual(nodeAt(schema.ast, place), found?.node)
      assert.strictEqual(FieldPath.format(pathOf(place)), text)
    }
  })

  it("13.1 the JSON of a converted or declared value is a separate step", () => {
    const Renamed = Schema.Struct({ a: Schema.Int }).pipe(Schema.encodeKeys({ a: "A" }))
    const cases: ReadonlyArray<readonly [Schema.Top, unknown, Path, Place]> = [
      [Person, {}, ["name"], [form, field("name")]],
      [Renamed, {}, ["A"], [form, field("A")]],
      [Schema.Option(Schema.Int), { _tag: "Some", value: "a" }, ["value"], [form, member(0), field("value")]],
      [Schema.ReadonlySet(Schema.Int), ["a"], [0], [form, items]],
      [Schema.HashMap(Schema.String, Schema.Int), [["a", "b"]], [0, 1], [form, items, element(1)]],
      [Schema.NullOr(Person), { name: 5 }, ["name"], [member(0), form, field("name")]],
      [Schema.Union([Schema.Int, Schema.ReadonlySet(Schema.Int)]), ["a"], [0], [member(1), form, items]]
    ]
    for (const [schema, value, path, place] of cases) {
      const found = find(schema.ast, value, path)
      assert.deepStrictEqual(found?.place, place)
      assert.strictEqual(nodeAt(schema.ast, place), found?.node)
    }
  })

  it("13.1 of a union, the first member with the fewest faults and the type of the value is taken", () => {
    const Two = Schema.Struct({ a: Schema.Int, b: Schema.Int })
    const One = Schema.Struct({ a: Schema.Int })
    const Throws = Schema.Struct({ a: Schema.Any }).check(
      Schema.makeFilter(() => {
        throw new Error("a defect")
      })
    )
    for (const [schema, value, key, index] of [
      [Schema.Union([Two, One]), { a: "x" }, "a", 1],
      [Schema.Union([One, Two]), { a: "x" }, "a", 0],
      [Schema.Union([One, One, One]), { a: "x" }, "a", 0],
      [Schema.Union([Schema.String, Schema.Array(Schema.Int)]), ["x"], 0, 1],
      [Schema.Union([Schema.Array(Schema.Int), One]), { a: "x" }, "a", 1],
      [Schema.Union([Schema.Null, Schema.NullOr(One)]), { a: "x" }, "a", 1],
      // a rule that throws counts as one fault
      [Schema.Union([Two, Throws]), { a: "x" }, "a", 1],
      [Schema.Union([Throws, One]), { a: 1 }, "a", 1]
    ] as const)
      assert.deepStrictEqual(placeOf(schema, value, [key])?.[0], member(index))
  })

  it("13.1 a recursive schema has one place for all depths, and two that contain each other have one for all further depths", () => {
    assert.deepStrictEqual(placeOf(Tree, {}, ["trees", 0, "trees", 4, "value"]), [field("value")])
    assert.deepStrictEqual(placeOf(Schema.Struct({ t: Tree }), {}, ["t", "trees", 0, "trees"]), [
      field("t"),
      field("trees")
    ])
    const Outer: Schema.Codec<unknown> = Schema.Struct({
      n: Schema.Int,
      inner: Schema.suspend((): Schema.Codec<unknown> => Inner)
    })
    const Inner: Schema.Codec<unknown> = Schema.Struct({ outer: Outer })
    assert.deepStrictEqual(placeOf(Outer, {}, ["inner", "outer", "n"]), [field("inner"), field("outer"), field("n")])
    assert.deepStrictEqual(placeOf(Outer, {}, ["inner", "outer", "inner", "outer", "n"]), [
      field("inner"),
      field("outer"),
      field("n")
    ])
  })

  it("13.1 a path without a node has no place", () => {
    const LastOf = Schema.TupleWithRest(Schema.Tuple([Schema.Int]), [Schema.Int, Schema.String])
    const cases: ReadonlyArray<readonly [Schema.Top, unknown, Path]> = [
      [Schema.Struct({ a: Schema.Int }), {}, ["b"]],
      [Schema.Struct({ "0": Schema.Int }), {}, [0]],
      [Schema.Struct({ a: Schema.Int }), {}, ["a", "b"]],
      [Schema.Array(Schema.Int), {}, ["a"]],
      [Schema.Tuple([Schema.Int]), [], [1]],
      [LastOf, [], [1]],
      [Schema.String, "text", [0]],
      [Schema.fromJsonString(Schema.Struct({ a: Schema.Int })), '{"a":null}', ["a"]],
      [Schema.Union([Schema.String, Schema.Int]), { a: 1 }, ["a"]],
      [Endless, { a: "x" }, ["a"]]
    ]
    for (const [schema, value, path] of cases) assert.isUndefined(find(schema.ast, value, path))
  })
})

describe("FaultPlace.nodeAt", () => {
  it("13.1 a place that the schema does not have leads to no node", () => {
    const schema = Schema.Struct({ a: Schema.Struct({ b: Schema.Int }), list: Schema.Array(Schema.Int) })
    const places: ReadonlyArray<Place> = [
      [field("c"), field("b")],
      [values],
      [form],
      [items],
      [element(0)],
      [member(0)],
      [field("list"), element(0)],
      [field("list"), values],
      [field("list"), field("b")]
    ]
    for (const place of places) assert.isUndefined(nodeAt(schema.ast, place))
  })
})

describe("FaultPlace", () => {
  it("13.1 the JSON of converted and declared values has a schema, and that of other values is the value itself", () => {
    const tagOf = (schema: Schema.Top) => formOf(schema.ast)?._tag
    const Text = Schema.Boolean.pipe(
      Schema.decodeTo(Schema.FiniteFromString, {
        decode: SchemaGetter.transform((value: boolean) => (value ? "1" : "0")),
        encode: SchemaGetter.transform((text: string) => text === "1")
      })
    )
    assert.deepStrictEqual([Schema.FiniteFromString, Text, Person, Schema.Option(Schema.Int), Schema.Date].map(tagOf), [
      "String",
      "Boolean",
      "Objects",
      "Union",
      "String"
    ])
    assert.deepStrictEqual(
      [
        Schema.String,
        Schema.Struct({}),
        Schema.instanceOf(Map),
        Schema.instanceOf(Map, { toCodecJson: () => undefined })
      ].map(tagOf),
      [undefined, undefined, undefined, undefined]
    )
  })

  it("13.1 the member of nested unions is that of the value, and any other schema is returned", () => {
    const Point = Schema.Struct({ x: Schema.Int })
    const of = (schema: Schema.Top, value: unknown) => memberFor(schema.ast, value)
    assert.strictEqual(of(Schema.Union([Schema.String, Schema.NullOr(Point)]), { x: 1 }), Point.ast)
    assert.strictEqual(of(Schema.NullOr(Schema.suspend(() => Point)), { x: 1 }), Point.ast)
    const scalars = Schema.Union([Schema.String, Schema.Int])
    assert.strictEqual(of(scalars, {}), scalars.ast)
    assert.strictEqual(of(Endless, { a: "x" }), Endless.ast)
    const suspended = Schema.suspend(() => Schema.suspend(() => Point))
    assert.strictEqual(of(suspended, {}), suspended.ast)
    assert.strictEqual(resolved(suspended.ast), Point.ast)
    const endless: Schema.Codec<unknown> = Schema.suspend((): Schema.Codec<unknown> => endless)
    assert.strictEqual(resolved(endless.ast), endless.ast)
  })

  it("13.1 a value is read at a path, and a text, a number and `null` contain nothing", () => {
    for (const [value, path, inner] of [
      [{ a: [{ b: 1 }] }, ["a", 0, "b"], 1],
      [{ a: 1 }, [], { a: 1 }],
      [{ a: null }, ["a", "b"], undefined],
      [{ a: "text" }, ["a", 0], undefined],
      [{ a: 5 }, ["a", "toFixed"], undefined],
      [{}, ["a", "b"], undefined]
    ] as const)
      assert.deepStrictEqual(valueAt(value, path), inner)
  })

  it("13.1 a value conforms to the JSON of a schema, and to no schema that throws", () => {
    assert.isTrue(conforms(Schema.FiniteFromString.ast, "5"))
    assert.isFalse(conforms(Schema.FiniteFromString.ast, 5))
    const throws = Schema.makeFilter((): boolean => {
      throw new Error("a defect")
    })
    assert.isFalse(conforms(Schema.Int.check(throws).ast, 5))
  })
})
