/** Tests objects of another shape, and faults where the schema has no node. */
import { assert, describe, it } from "@effect/vitest"
import { Schema, SchemaGetter } from "effect"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"
import { faultsOf } from "./faults.ts"

const shown = (schema: Schema.Top, value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  faultsOf(schema, value).map(({ kind, path, problem }) => [path, kind, problem])

const shape = "an object with none of the declared fields"
const wrapped = (name: string) => `expected object, got an object with such a value in its field "${name}"`

describe("objects of another shape", () => {
  it("13.1 an object has another shape if several required fields are absent, or if only other fields are present", () => {
    const Two = Schema.Struct({ a: Schema.Int, b: Schema.Int })
    const One = Schema.Struct({ a: Schema.Int, b: Schema.optionalKey(Schema.Int) })
    const rest = [Schema.Record(Schema.String, Schema.String)] as const
    const TwoOpen = Schema.StructWithRest(Schema.Struct({ a: Schema.Literal("a"), b: Schema.Literal("b") }), rest)
    const OneOpen = Schema.StructWithRest(Schema.Struct({ a: Schema.Literal("a") }), rest)
    const missing = ["a", "missing", "missing"]
    for (const [schema, value, expected] of [
      [Two, {}, [["", "shape", shape]]],
      [Two, { c: 1 }, [["", "shape", shape]]],
      [Two, { b: 1 }, [missing]],
      [One, {}, [missing]],
      [One, { c: 1 }, [["", "shape", shape]]],
      [One, { b: 1 }, [missing]],
      [OneOpen, {}, [missing]],
      [OneOpen, { c: "c" }, [missing]],
      [TwoOpen, { c: "c" }, [["", "shape", shape]]],
      [
        TwoOpen,
        { c: 1 },
        [
          ["", "shape", shape],
          ["*", "type", "expected string, got number"]
        ]
      ]
    ] as const)
      assert.deepStrictEqual(shown(schema, value), expected)
  })

  it("13.1 an object in place of a record is one fault if its only field contains such a record", () => {
    const Prices = Schema.Record(Schema.String, Schema.Struct({ cents: Schema.Int }))
    const price = { cents: 1 }
    for (const [value, expected] of [
      [{ data: { AAPL: price } }, [["", "type", wrapped("data")]]],
      [{ data: { AAPL: price }, more: { AAPL: price } }, [["*", "type", wrapped("AAPL")]]],
      // an empty object conforms to the record, but may be a price without its field
      [{ AAPL: {} }, [["*.cents", "missing", "missing"]]],
      [{ AAPL: { cents: "1" } }, [["*.cents", "type", "expected integer, got a number as text"]]]
    ] as const)
      assert.deepStrictEqual(shown(Prices, value), expected)
    assert.deepStrictEqual(faultsOf(Prices, { data: { AAPL: price } }), [
      {
        kind: "type",
        path: "",
        place: [],
        problem: wrapped("data"),
        value: { data: { AAPL: price } },
        expected: "object",
        form: { _tag: "Wrapped", name: "data" }
      }
    ])
  })

  it("13.1 a declared field that contains an object of the same schema wraps nothing", () => {
    interface Node {
      readonly value: number
      readonly next?: Node
    }
    const Node: Schema.Codec<Node> = Schema.Struct({
      value: Schema.Int,
      next: Schema.optionalKey(Schema.suspend((): Schema.Codec<Node> => Node))
    })
    assert.deepStrictEqual(shown(Node, { next: { value: 1 } }), [["value", "missing", "missing"]])
  })

  it("13.1 each missing field of a class, and of an object that a text contains, is a fault", () => {
    class Person extends Schema.Class<Person>("Person")({ name: Schema.String, age: Schema.Int }) {}
    const all = [
      ["name", "missing", "missing"],
      ["age", "missing", "missing"]
    ]
    assert.deepStrictEqual(shown(Person, {}), all)
    const Nested = Schema.Struct({ a: Schema.Struct({ b: Schema.Int }) })
    assert.deepStrictEqual(shown(Schema.fromJsonString(Nested), '{"a":{"b":null}}'), [
      ["a.b", "type", "expected integer, got null"]
    ])
    assert.deepStrictEqual(
      shown(Schema.fromJsonString(Schema.Struct({ name: Schema.String, age: Schema.Int })), "{}"),
      all
    )
  })
})

describe("faults of one value", () => {
  it("13.1 the first of equal faults is kept, with its value", () => {
    const Rows = Schema.Array(Schema.Struct({ status: Schema.Literals(["on", "off"]), n: Schema.Int }))
    assert.deepStrictEqual(
      faultsOf(Rows, [
        { status: "late", n: 1 },
        { status: "lost", n: 1 }
      ]),
      [
        {
          kind: "enum",
          path: "[].status",
          place: [{ _tag: "Items" }, { _tag: "Field", name: "status" }],
          problem: "not one of 2 values",
          value: "late"
        }
      ]
    )
  })

  it("13.1 a broken rule states what it expects, unless it has no words for that", () => {
    const at = { path: "n", place: [{ _tag: "Field", name: "n" }] } as const
    const few = Schema.isLessThan(5)
    for (const [n, fault] of [
      [
        Schema.Finite.check(few),
        { problem: "expected a value less than 5", expected: "a value less than 5", value: 7 }
      ],
      [
        Schema.Finite.check(Schema.isLessThan(5, { message: "too many" })),
        { problem: "too many", expected: "a value less than 5", value: 7 }
      ],
      [
        Schema.FiniteFromString.check(few),
        { problem: "expected a value less than 5", expected: "a value less than 5", value: "7", isConverted: true }
      ]
    ] as const)
      assert.deepStrictEqual(faultsOf(Schema.Struct({ n }), { n: fault.value }), [{ kind: "rule", ...at, ...fault }])
    const { schema } = ForeignSchema.compile({
      type: "object",
      properties: { n: { oneOf: [{ type: "integer" }, { type: "number" }] } },
      required: ["n"]
    })
    assert.deepStrictEqual(faultsOf(schema, { n: 7 }), [{ kind: "rule", ...at, problem: "ambiguous", value: 7 }])
  })

  it("13.1 a place without a node is described by the issue alone", () => {
    const Box = Schema.Struct({
      box: Schema.Struct({
        c: Schema.Int,
        d: Schema.Int.check(Schema.isLessThan(5)),
        t: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2))),
        s: Schema.Literals(["on", "off"])
      })
    })
    const decoded = <S extends Schema.Top>(to: S, decode: (value: unknown) => unknown) =>
      Schema.Unknown.pipe(
        Schema.decodeTo(to, {
          // the decoded value is checked by the schema
          decode: SchemaGetter.transform((value: unknown) => decode(value) as S["Encoded"]),
          encode: SchemaGetter.transform((value: S["Encoded"]): unknown => value)
        })
      )
    const of = (box: object) =>
      faultsOf(
        decoded(Box, (value) => value),
        { box }
      )
    assert.deepStrictEqual(of({ c: "x" }), [
      { kind: "missing", path: "box.d", problem: "missing" },
      { kind: "missing", path: "box.s", problem: "missing" },
      { kind: "type", path: "box.c", problem: "expected integer, got string", expected: "integer", value: "x" }
    ])
    assert.deepStrictEqual(of({ c: null, d: 7, s: "late" }), [
      { kind: "null", path: "box.c", problem: "expected integer, got null", expected: "integer", value: null },
      {
        kind: "rule",
        path: "box.d",
        problem: "expected a value less than 5",
        expected: "a value less than 5",
        value: 7
      },
      { kind: "enum", path: "box.s", problem: "not one of 2 values", value: "late" }
    ])
    assert.deepStrictEqual(
      of({ c: 1, d: 1, s: "on", t: "abc" }).map(({ kind, path, problem }) => [kind, path, problem]),
      [["rule", "box.t", "expected at most 2 characters"]]
    )
    assert.deepStrictEqual(of({ c: 1, d: "1", s: 5 }), [
      { kind: "type", path: "box.d", problem: "expected integer, got string", expected: "integer", value: "1" },
      {
        kind: "type",
        path: "box.s",
        problem: "not one of 2 values",
        expected: "one of 2 values",
        value: 5,
        form: { _tag: "Type", type: "number" }
      }
    ])
    assert.deepStrictEqual(
      faultsOf(
        decoded(Schema.Struct({ a: Schema.Int }), () => ({ a: new Map() })),
        { a: 1 }
      ),
      [{ kind: "type", path: "a", problem: "expected integer, got something else", expected: "integer", value: 1 }]
    )
  })
})
