import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import * as Fault from "#domain/faults/Fault"
import * as JsonText from "#domain/json/JsonText"
import { fromIssue } from "#domain/schema/ArgumentIssues"
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
  it("13.1 a field with a wrong value has one fault with its path and kind", () => {
    const { id: _, ...withoutId } = order
    assert.deepStrictEqual(one({ id: null }), [["orders[].id", "null", "expected string, got null"]])
    assert.deepStrictEqual(shown(Orders, { orders: [withoutId] }), [["orders[].id", "missing", "missing"]])
    assert.deepStrictEqual(one({ status: "late" }), [["orders[].status", "enum", "not one of 2 values"]])
    assert.deepStrictEqual(one({ status: null }), [["orders[].status", "null", "expected one of 2 values, got null"]])
    assert.deepStrictEqual(one({ status: 4 }), [["orders[].status", "type", "not one of 2 values"]])
    assert.deepStrictEqual(one({ cents: true }), [["orders[].cents", "type", "expected integer, got boolean"]])
    assert.deepStrictEqual(one({ tags: ["a", "b", "c"] }), [["orders[].tags", "rule", "expected at most 2 items"]])
  })

  it("13.1 a value of another type is described by its form", () => {
    const formOf = (change: object) => faultsOf(Orders, { orders: [{ ...order, ...change }] }).map(({ form }) => form)
    assert.deepStrictEqual(formOf({ cents: "12" }), [{ _tag: "AsText", type: "number" }])
    assert.deepStrictEqual(formOf({ cents: "12 EUR" }), [{ _tag: "Type", type: "string" }])
    assert.deepStrictEqual(formOf({ cents: [12, 13] }), [{ _tag: "List" }])
    assert.deepStrictEqual(formOf({ cents: { value: 12 } }), [{ _tag: "Wrapped", name: "value" }])
    assert.deepStrictEqual(formOf({ tags: "new" }), [{ _tag: "Single" }])
    assert.deepStrictEqual(formOf({ tags: { a: 1 } }), [{ _tag: "Type", type: "object" }])
    assert.deepStrictEqual(formOf({ buyer: [order.buyer] }), [{ _tag: "List" }])
    assert.deepStrictEqual(one({ buyer: { data: order.buyer } }), [
      ["orders[].buyer", "type", `expected object, got an object with such a value in its field "data"`]
    ])
  })

  it("13.1 equal faults of several items and of several values of a record are one fault", () => {
    const rows = [null, "x", null].map((id) => ({ ...order, id }))
    assert.deepStrictEqual(shown(Orders, { orders: rows }), [["orders[].id", "null", "expected string, got null"]])
    const Prices = Schema.Struct({ prices: Schema.Record(Schema.String, Schema.Struct({ cents: Schema.Int })) })
    assert.deepStrictEqual(shown(Prices, { prices: { AAPL: { cents: null }, MSFT: { cents: null } } }), [
      ["prices.*.cents", "null", "expected integer, got null"]
    ])
  })

  it("13.1 an object with none of its fields is one fault, and an object without one of them has a missing field", () => {
    assert.deepStrictEqual(shown(Order, { detail: "busy" }), [
      ["", "shape", "an object with none of the declared fields"]
    ])
    assert.deepStrictEqual(shown(Order, {}), [["", "shape", "an object with none of the declared fields"]])
    assert.deepStrictEqual(one({ buyer: { login: "a" } }), [
      ["orders[].buyer", "shape", "an object with none of the declared fields"]
    ])
    assert.deepStrictEqual(one({ buyer: { name: "A" } }), [["orders[].buyer.email", "missing", "missing"]])
    assert.deepStrictEqual(shown(Schema.Struct({ a: Schema.Int }), {}), [["a", "missing", "missing"]])
  })

  it("13.1 an object that wraps a nullable object or a record is one fault of the wrapped place", () => {
    const Person = Schema.Struct({ name: Schema.String, email: Schema.String })
    const Wrapped = Schema.Struct({ buyer: Schema.NullOr(Person), people: Schema.Record(Schema.String, Person) })
    const person = order.buyer
    assert.deepStrictEqual(shown(Wrapped, { buyer: { data: person }, people: { data: { a: person } } }), [
      ["buyer", "type", `expected object, got an object with such a value in its field "data"`],
      ["people", "type", `expected object, got an object with such a value in its field "data"`]
    ])
    assert.deepStrictEqual(shown(Wrapped, { buyer: null, people: { data: { name: "A" } } }), [
      ["people.*.email", "missing", "missing"]
    ])
  })

  it("13.1 a whole value of another type has the kind `shape`; a field, or a list of conforming values, has the kind `type`", () => {
    assert.deepStrictEqual(shown(Order, ["busy"]), [["", "shape", "expected object, got array"]])
    assert.deepStrictEqual(shown(Order, [order]), [["", "type", "expected object, got a list of such values"]])
    assert.deepStrictEqual(one({ buyer: ["busy"] }), [["orders[].buyer", "type", "expected object, got array"]])
  })

  it("13.1 faults at all depths of a recursive schema have one place", () => {
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

  it("13.1 a result that was recorded only as paths has a fault for each path", () => {
    assert.deepStrictEqual(
      Fault.ofFields(["orders[2].cents", "orders[17].cents", "id"]).map(({ kind, path }) => [kind, path]),
      [
        ["recorded", "orders[].cents"],
        ["recorded", "id"]
      ]
    )
  })

  it("13.1 the place of a fault contains the member of a union that the value fits best", () => {
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

  it("13.1 a foreign JSON Schema has faults of the same kinds", () => {
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

  it("13.1 an answer that is not JSON has one fault of the whole answer", () => {
    const { kind, path, problem, value } = Fault.unreadable("truncated", '{"a":')
    assert.deepStrictEqual([path, kind, problem, value], ["", "unreadable", "truncated JSON", '{"a":'])
  })

  it("13.1 an answer that could not be parsed has the reason, and a refused key has its path", () => {
    const of = (text: string, limits = JsonText.resultLimits) =>
      Result.match(JsonText.parse(text, limits), {
        onFailure: (error) => Fault.ofParseError(error, text),
        onSuccess: () => assert.fail(text)
      })
    for (const [text, problem] of [
      ['{"a":1', "truncated JSON"],
      ["<html></html>", "an HTML or XML page"],
      ["<?xml?><a/>", "an HTML or XML page"],
      ["", "empty"],
      ["Error: 503", "plain text"],
      ["```json", "plain text"],
      ['{"a":x}', "invalid JSON"],
      ["[".repeat(300), "too large"]
    ] as const)
      assert.deepStrictEqual(of(text), { kind: "unreadable", path: "", place: [], problem, value: text })
    assert.strictEqual(of("[1,2]", { maxBytes: 3, maxDepth: 9 }).problem, "too large")
    assert.deepStrictEqual(of('{"rows":[{"a":1},{"__proto__":1}]}'), {
      kind: "refused key",
      path: "rows[].__proto__",
      problem: "a key that is never accepted",
      value: '"__proto__":1}]}'
    })
  })

  it("13.1 a result that was not recorded has one fault of the whole result", () => {
    assert.deepStrictEqual(Fault.ofFields([]), [{ kind: "recorded", path: "", problem: "recorded without its value" }])
  })

  it("13.1 each missing and each undeclared field of arguments is a fault with its place", () => {
    const closed = { errors: "all", onExcessProperty: "error", reportInput: true } as const
    const of = (value: unknown) => {
      const decoded = Schema.decodeUnknownResult(Schema.toCodecJson(Order), closed)(value)
      const issues = Result.isFailure(decoded) ? fromIssue(decoded.failure.issue) : []
      return Fault.ofArguments(issues, value, SchemaAST.toEncoded(Schema.toCodecJson(Order).ast))
    }
    assert.deepStrictEqual(
      of({ ...order, buyer: {} }).map(({ kind, path, problem }) => [kind, path, problem]),
      [
        ["missing", "buyer.name", "missing"],
        ["missing", "buyer.email", "missing"]
      ]
    )
    assert.deepStrictEqual(of({ ...order, odd: 7 }), [
      { kind: "excess", path: "odd", problem: "unknown field", value: 7 }
    ])
    assert.deepStrictEqual(of({}).length, 5)
  })
})
