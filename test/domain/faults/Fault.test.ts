import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import * as Fault from "#domain/faults/Fault"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"

type Codec = Schema.Codec<unknown, unknown>

const faultsOf = (schema: Codec, value: unknown): ReadonlyArray<Fault.Fault> => {
  const json = Schema.toCodecJson(schema)
  const decoded = Schema.decodeUnknownResult(json, { errors: "all", reportInput: true })(value)
  return Result.isFailure(decoded) ? Fault.ofResult(decoded.failure.issue, value, SchemaAST.toEncoded(json.ast)) : []
}

const shown = (schema: Codec, value: unknown): ReadonlyArray<readonly [string, string, string]> =>
  faultsOf(schema, value).map(({ kind, path, problem }) => [path, kind, problem])

const Order = Schema.Struct({
  id: Schema.String,
  cents: Schema.Int,
  status: Schema.Literals(["placed", "shipped"]),
  tags: Schema.Array(Schema.String).check(Schema.isMaxLength(2)),
  buyer: Schema.Struct({ name: Schema.String, email: Schema.String })
})
const order = { id: "o-1", cents: 5, status: "placed", tags: [], buyer: { name: "A", email: "a@b.c" } }
const Orders = Schema.Struct({ orders: Schema.Array(Order) })

const one = (change: object) => shown(Orders, { orders: [{ ...order, ...change }] })

describe("Fault.ofResult", () => {
  it("[13.1] a field with a wrong value has one fault with its path and kind", () => {
    const { id: _, ...withoutId } = order
    assert.deepStrictEqual(one({ id: null }), [["orders[].id", "null", "expected string, got null"]])
    assert.deepStrictEqual(shown(Orders, { orders: [withoutId] }), [["orders[].id", "missing", "missing"]])
    assert.deepStrictEqual(one({ status: "late" }), [["orders[].status", "enum", "not one of 2 values"]])
    assert.deepStrictEqual(one({ status: null }), [["orders[].status", "null", "expected one of 2 values, got null"]])
    assert.deepStrictEqual(one({ status: 4 }), [["orders[].status", "type", "not one of 2 values"]])
    assert.deepStrictEqual(one({ cents: true }), [["orders[].cents", "type", "expected integer, got boolean"]])
    assert.deepStrictEqual(one({ tags: ["a", "b", "c"] }), [["orders[].tags", "rule", "expected at most 2 items"]])
  })

  it("[13.1] a value of another type that contains a conforming value is described by its form", () => {
    const formOf = (change: object) => faultsOf(Orders, { orders: [{ ...order, ...change }] }).map(({ form }) => form)
    assert.deepStrictEqual(formOf({ cents: "12" }), [{ _tag: "AsText", type: "number" }])
    assert.deepStrictEqual(formOf({ cents: "12 EUR" }), [{ _tag: "Type", type: "string" }])
    assert.deepStrictEqual(formOf({ cents: [12, 13] }), [{ _tag: "List" }])
    assert.deepStrictEqual(formOf({ cents: { value: 12 } }), [{ _tag: "Wrapped", name: "value" }])
    assert.deepStrictEqual(formOf({ tags: "new" }), [{ _tag: "Single" }])
    assert.deepStrictEqual(formOf({ tags: { a: 1 } }), [{ _tag: "Type", type: "object" }])
    assert.deepStrictEqual(formOf({ buyer: [order.buyer] }), [{ _tag: "List" }])
    assert.deepStrictEqual(one({ buyer: { data: order.buyer } }), [
      ["orders[].buyer", "type", `expected object, got an object with such a value as "data"`]
    ])
  })

  it("[13.1] equal faults of several items and of several values of a record are one fault", () => {
    const rows = [null, "x", null].map((id) => ({ ...order, id }))
    assert.deepStrictEqual(shown(Orders, { orders: rows }), [["orders[].id", "null", "expected string, got null"]])
    const Prices = Schema.Struct({ prices: Schema.Record(Schema.String, Schema.Struct({ cents: Schema.Int })) })
    assert.deepStrictEqual(shown(Prices, { prices: { AAPL: { cents: null }, MSFT: { cents: null } } }), [
      ["prices.*.cents", "null", "expected integer, got null"]
    ])
  })

  it("[13.1] an object without its fields is one fault, and an object without one of them is a missing field", () => {
    assert.deepStrictEqual(shown(Order, { detail: "busy" }), [["", "shape", "an object without its fields"]])
    assert.deepStrictEqual(shown(Order, {}), [["", "shape", "an object without its fields"]])
    assert.deepStrictEqual(one({ buyer: { login: "a" } }), [
      ["orders[].buyer", "shape", "an object without its fields"]
    ])
    assert.deepStrictEqual(one({ buyer: { name: "A" } }), [["orders[].buyer.email", "missing", "missing"]])
    assert.deepStrictEqual(shown(Schema.Struct({ a: Schema.Int }), {}), [["a", "missing", "missing"]])
  })

  it("[13.1] an object that wraps a nullable object or a record is one fault of the wrapped place", () => {
    const Person = Schema.Struct({ name: Schema.String, email: Schema.String })
    const Wrapped = Schema.Struct({ buyer: Schema.NullOr(Person), people: Schema.Record(Schema.String, Person) })
    const person = order.buyer
    assert.deepStrictEqual(shown(Wrapped, { buyer: { data: person }, people: { data: { a: person } } }), [
      ["buyer", "type", `expected object, got an object with such a value as "data"`],
      ["people", "type", `expected object, got an object with such a value as "data"`]
    ])
    assert.deepStrictEqual(shown(Wrapped, { buyer: null, people: { data: { name: "A" } } }), [
      ["people.*.email", "missing", "missing"]
    ])
  })

  it("[13.1] a whole value of another type is another answer, and the same type at a field is a wrong type", () => {
    assert.deepStrictEqual(shown(Order, ["busy"]), [["", "shape", "expected object, got array"]])
    assert.deepStrictEqual(shown(Order, [order]), [["", "type", "expected object, got a list of such values"]])
    assert.deepStrictEqual(one({ buyer: ["busy"] }), [["orders[].buyer", "type", "expected object, got array"]])
  })

  it("[13.1] faults at all depths of a recursive schema have one place", () => {
    interface Tree {
      readonly cents: number
      readonly parts: ReadonlyArray<Tree>
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      cents: Schema.Int,
      parts: Schema.Array(Schema.suspend(() => Tree))
    })
    const leaf = { cents: null, parts: [] }
    assert.deepStrictEqual(shown(Tree, { cents: 1, parts: [leaf, { cents: 1, parts: [leaf] }] }), [
      ["cents", "null", "expected integer, got null"]
    ])
  })

  it("[13.1] a result of which only the paths were recorded has a fault for each path", () => {
    assert.deepStrictEqual(
      Fault.ofFields(["orders[2].cents", "orders[7].cents", "id"]).map(({ kind, path }) => [kind, path]),
      [
        ["recorded", "orders[].cents"],
        ["recorded", "id"]
      ]
    )
  })

  it("[13.1] the place of a fault leads through the member of a union that the value fits best", () => {
    const Circle = Schema.Struct({ kind: Schema.Literal("circle"), size: Schema.Finite })
    const Square = Schema.Struct({ kind: Schema.Literal("square"), size: Schema.Finite })
    const Shapes = Schema.Struct({ shape: Schema.NullOr(Schema.Union([Circle, Square])) })
    const [fault] = faultsOf(Shapes, { shape: { kind: "square", size: "big" } })
    assert.deepStrictEqual([fault?.path, fault?.kind], ["shape.size", "type"])
    assert.deepStrictEqual(
      fault?.place?.filter(({ _tag }) => _tag === "Member"),
      [
        { _tag: "Member", index: 0 },
        { _tag: "Member", index: 1 }
      ]
    )
    assert.deepStrictEqual(shown(Shapes, { shape: { kind: "oval", size: 1 } }), [
      ["shape.kind", "variant", "not one of 2 values"]
    ])
    assert.deepStrictEqual(shown(Shapes, { shape: { size: 1 } }), [["shape.kind", "variant", "missing"]])
  })

  it("[13.1] the schema of another project has the same faults", () => {
    const { schema } = ForeignSchema.compile({
      type: "object",
      properties: {
        items: {
          type: "array",
          items: { type: "object", properties: { n: { type: "integer", maximum: 9 } }, required: ["n"] }
        },
        state: { enum: ["on", "off"] }
      },
      required: ["items"]
    })
    assert.deepStrictEqual(shown(schema, { items: [{ n: 12 }, { n: null }, { n: "3" }], state: "gone" }), [
      ["items[].n", "rule", "expected a value less than or equal to 9"],
      ["items[].n", "null", "expected integer, got null"],
      ["items[].n", "type", "expected integer, got a number as text"],
      ["state", "enum", "not one of 2 values"]
    ])
  })

  it("[13.1] an answer that is no JSON has one fault of the whole answer", () => {
    const { kind, path, problem, value } = Fault.unreadable("truncated", '{"a":')
    assert.deepStrictEqual([path, kind, problem, value], ["", "unreadable", "truncated JSON", '{"a":'])
  })
})
