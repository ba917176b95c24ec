import * as ArrayPaths from "#domain/schema/ArrayPaths"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

class Row extends Schema.Class<Row>("Row")({ id: Schema.Int, tags: Schema.Array(Schema.String) }) {}
class Page extends Schema.Class<Page>("Page")({ items: Schema.Array(Row), at: Schema.Date }) {}

interface Tree {
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
})
interface Chain {
  readonly next: Chain | null
}
const Chain: Schema.Codec<Chain> = Schema.Struct({
  next: Schema.NullOr(Schema.suspend((): Schema.Codec<Chain> => Chain))
})

/** A union that contains itself directly. */
const Loop: Schema.Codec<string> = Schema.Union([Schema.String, Schema.suspend((): Schema.Codec<string> => Loop)])

const orders = Schema.Array(Schema.String)
const holding = (items: Schema.Codec<unknown, any>) => Schema.Struct({ items })

describe("the arrays of a schema", () => {
  const schemas: Readonly<Record<string, readonly [schema: Schema.Codec<any, any>, paths: ReadonlyArray<string>]>> = {
    "an array itself": [orders, [""]],
    "a field": [holding(orders), ["items"]],
    "a field of a class": [Page, ["items"]],
    "a nullable field of a nullable field": [
      Schema.Struct({ data: Schema.NullOr(Schema.Struct({ items: Schema.NullOr(orders) })) }),
      ["data.items"]
    ],
    "a field that must not be empty": [holding(Schema.NonEmptyArray(Row)), ["items"]],
    "a field with a default": [holding(orders.pipe(Schema.withDecodingDefault(Effect.succeed([])))), ["items"]],
    "a field with another encoded name": [holding(orders).pipe(Schema.encodeKeys({ items: "rows" })), ["rows"]],
    "the members of a union": [Schema.Union([Schema.Struct({ a: orders }), Schema.Struct({ b: orders })]), ["a", "b"]],
    "a set and a map": [
      Schema.Struct({ set: Schema.ReadonlySet(Schema.String), map: Schema.ReadonlyMap(Schema.String, Schema.Int) }),
      ["set", "map"]
    ],
    "a recursive schema": [Tree, ["children"]],
    "a recursive schema without an array": [Chain, []],
    "a union of itself": [holding(Loop), []],
    "a tuple, which cannot lose rows": [Schema.Tuple([Schema.String]), []],
    "a schema without arrays": [Schema.String, []],
    "text that contains JSON": [Schema.fromJsonString(holding(orders)), []]
  }
  for (const [name, [schema, paths]] of Object.entries(schemas)) {
    it(`2.12 are ${paths.length === 0 ? "not found" : "found"} in ${name}`, () => {
      assert.deepStrictEqual(ArrayPaths.list(schema), paths)
      const others = ["", "items", "rows", "data", "data.items", "a", "b", "children", "items.tags", "next.next"]
      assert.deepStrictEqual(
        [...new Set([...paths, ...others])].filter((path) => ArrayPaths.has(schema, path)),
        paths
      )
    })
  }

  it("2.12 are found behind a suspended schema, and in a part that is used twice", () => {
    const Part = holding(orders)
    const schema = Schema.Struct({ a: Schema.suspend(() => Part), b: Schema.NullOr(Part) })
    assert.deepStrictEqual(ArrayPaths.list(schema), ["a.items", "b.items"])
    assert.deepStrictEqual([ArrayPaths.has(schema, "a.items"), ArrayPaths.has(schema, "a")], [true, false])
  })

  it("2.12 are listed down to four fields, at most five, without names that a path cannot have", () => {
    const deep = (levels: number): Schema.Codec<unknown, any> =>
      levels === 0 ? orders : Schema.Struct({ in: deep(levels - 1) })
    assert.deepStrictEqual(ArrayPaths.list(deep(4)), ["in.in.in.in"])
    assert.deepStrictEqual(ArrayPaths.list(deep(5)), [])
    const many = Schema.Struct({
      a: orders,
      b: orders,
      c: orders,
      d: orders,
      in: holding(orders),
      e: orders,
      f: orders
    })
    assert.deepStrictEqual(ArrayPaths.list(many), ["a", "b", "c", "d", "e"])
    const odd = Schema.Struct({ "": orders, "a.b": orders, "a b": orders })
    assert.deepStrictEqual(ArrayPaths.list(odd), ["a b"])
  })

  it("2.12 can be anywhere in a value of unknown type, and under any name in a record", () => {
    for (const schema of [Schema.Json, Schema.Unknown, Schema.Any]) {
      assert.deepStrictEqual([ArrayPaths.has(schema, ""), ArrayPaths.has(holding(schema), "items.a")], [true, true])
      assert.isFalse(ArrayPaths.has(holding(schema), "rows"))
    }
    const record = Schema.Record(Schema.String, orders)
    assert.deepStrictEqual([ArrayPaths.has(record, "any"), ArrayPaths.has(record, "")], [true, false])
  })
})
