import { assert, describe, it } from "@effect/vitest"
import { entityId, finder } from "#domain/schema/EntityId"
import { Effect, Schema, SchemaTransformation } from "effect"

const Id = Schema.String.pipe(entityId({ lookup: "search_orders" }))
const Plain = Schema.String.pipe(entityId())

/** Returns the path and the value of each id in the arguments. */
const found = (schema: Schema.Top, args: unknown): ReadonlyArray<readonly [string, string]> =>
  (finder(schema)?.(args) ?? []).map(({ path, value }) => [path, value] as const)

describe("EntityId", () => {
  it("4.5 finds no ids if the schema has no mark", () => {
    assert.isUndefined(finder(Schema.Struct({ id: Schema.String, more: Schema.Array(Schema.Int) })))
  })

  it("4.5 finds a marked field, with its lookup tool", () => {
    assert.deepStrictEqual(finder(Schema.Struct({ id: Id, q: Schema.String }))?.({ id: "o-1", q: "x" }), [
      { path: "id", lookup: "search_orders", value: "o-1" }
    ])
    assert.deepStrictEqual(finder(Schema.Struct({ id: Plain }))?.({ id: "o-1" }), [
      { path: "id", lookup: undefined, value: "o-1" }
    ])
  })

  const places: ReadonlyArray<readonly [string, Schema.Top, unknown, string]> = [
    ["optional", Schema.Struct({ id: Schema.optionalKey(Id) }), { id: "o-1" }, "id"],
    ["optional or undefined", Schema.Struct({ id: Schema.optional(Id) }), { id: "o-1" }, "id"],
    ["nullable", Schema.Struct({ id: Schema.NullOr(Id) }), { id: "o-1" }, "id"],
    ["with checks after the mark", Schema.Struct({ id: Id.check(Schema.isPattern(/^o-/u)) }), { id: "o-1" }, "id"],
    [
      "with checks before the mark",
      Schema.Struct({ id: Schema.String.check(Schema.isPattern(/^o-/u)).pipe(entityId()) }),
      { id: "o-1" },
      "id"
    ],
    [
      "with a default",
      Schema.Struct({ id: Id.pipe(Schema.withDecodingDefaultKey(Effect.succeed("o-0"))) }),
      { id: "o-1" },
      "id"
    ],
    ["branded", Schema.Struct({ id: Id.pipe(Schema.brand("OrderId")) }), { id: "o-1" }, "id"],
    [
      "transformed, marked before",
      Schema.Struct({ id: Id.pipe(Schema.decode(SchemaTransformation.trim())) }),
      { id: "o-1" },
      "id"
    ],
    [
      "transformed, marked after",
      Schema.Struct({ id: Schema.String.pipe(Schema.decode(SchemaTransformation.trim()), entityId()) }),
      { id: "o-1" },
      "id"
    ],
    ["renamed", Schema.Struct({ id: Id }).pipe(Schema.encodeKeys({ id: "order_id" })), { order_id: "o-1" }, "order_id"],
    ["nested", Schema.Struct({ of: Schema.Struct({ id: Id }) }), { of: { id: "o-1" } }, "of.id"],
    ["in an array", Schema.Struct({ ids: Schema.Array(Id) }), { ids: ["o-1"] }, "ids[0]"],
    [
      "in a marked array",
      Schema.Struct({ ids: Schema.Array(Schema.String).pipe(entityId()) }),
      { ids: ["o-1"] },
      "ids[0]"
    ],
    ["in a record", Schema.Struct({ of: Schema.Record(Schema.String, Id) }), { of: { a: "o-1" } }, "of.a"],
    [
      "in a class",
      Schema.Struct({ of: class Of extends Schema.Class<Of>("Of")({ id: Id }) {} }),
      { of: { id: "o-1" } },
      "of.id"
    ],
    [
      "in one member of a union",
      Schema.Struct({
        by: Schema.Union([
          Schema.Struct({ kind: Schema.Literal("order"), id: Id }),
          Schema.Struct({ kind: Schema.Literal("text"), id: Schema.String })
        ])
      }),
      { by: { kind: "order", id: "o-1" } },
      "by.id"
    ]
  ]
  for (const [what, schema, args, path] of places) {
    it(`4.5 finds an id that is ${what}`, () => {
      assert.deepStrictEqual(found(schema, args), [[path, "o-1"]])
    })
  }

  it("4.5 reports each place in an array", () => {
    const schema = Schema.Struct({ items: Schema.Array(Schema.Struct({ order_id: Id })) })
    assert.deepStrictEqual(found(schema, { items: [{ order_id: "o-1" }, { order_id: "o-2" }] }), [
      ["items[0].order_id", "o-1"],
      ["items[1].order_id", "o-2"]
    ])
  })

  it("4.5 reports a number as its text", () => {
    assert.deepStrictEqual(found(Schema.Struct({ id: Schema.Int.pipe(entityId()) }), { id: 1042 }), [["id", "1042"]])
  })

  it("4.5 ignores a literal alongside an id, and other members of a union", () => {
    for (const id of [Schema.Union([Id, Schema.Literal("all")]), Schema.Union([Schema.Literal("all"), Id])]) {
      const schema = Schema.Struct({ id })
      assert.deepStrictEqual(found(schema, { id: "all" }), [])
      assert.deepStrictEqual(found(schema, { id: "o-1" }), [["id", "o-1"]])
    }
    const by = Schema.Union([
      Schema.Struct({ kind: Schema.Literal("order"), id: Id }),
      Schema.Struct({ kind: Schema.Literal("text"), id: Schema.String })
    ])
    assert.deepStrictEqual(found(Schema.Struct({ by }), { by: { kind: "text", id: "o-1" } }), [])
  })

  it("4.5 follows a recursive schema to the depth of the arguments", () => {
    interface Node {
      readonly id: string
      readonly inner?: Node
    }
    const Node: Schema.Codec<Node> = Schema.Struct({
      id: Id,
      inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Node> => Node))
    })
    const depth = 20
    const args = Array.from({ length: depth }, (_, i) => `o-${i}`).reduceRight<Node | undefined>(
      (inner, id) => (inner === undefined ? { id } : { id, inner }),
      undefined
    )
    assert.deepStrictEqual(
      found(Node, args).map(([, value]) => value),
      Array.from({ length: depth }, (_, i) => `o-${i}`)
    )
  })

  it("4.5 finds no ids in a recursive schema without a mark", () => {
    interface Node {
      readonly inner?: Node
    }
    const Node: Schema.Codec<Node> = Schema.Struct({
      inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Node> => Node))
    })
    assert.isUndefined(finder(Node))
  })

  it("4.5 a literal of a marked union is not an id", () => {
    const id = Schema.Union([Schema.Literal("all"), Schema.String]).pipe(entityId())
    assert.deepStrictEqual(found(Schema.Struct({ id }), { id: "all" }), [])
    assert.deepStrictEqual(found(Schema.Struct({ id }), { id: "o-1" }), [["id", "o-1"]])
  })

  it("4.5 finds no id in arguments that have another shape than the schema", () => {
    const schema = Schema.Struct({ id: Id, pair: Schema.Tuple([Id]), of: Schema.Struct({ id: Id }) })
    for (const args of [{ id: { n: 1 } }, { of: undefined }, { of: true }, { id: ["o-1"] }, { pair: { id: "o-1" } }])
      assert.deepStrictEqual(found(schema, args), [])
    assert.deepStrictEqual(found(schema, { pair: ["o-1", "o-2"] }), [["pair[0]", "o-1"]])
  })

  it("4.5 finds no id in absent fields, null and values of other types", () => {
    const schema = Schema.Struct({
      id: Schema.optionalKey(Schema.NullOr(Id)),
      ids: Schema.optionalKey(Schema.Array(Id))
    })
    for (const args of [{}, { id: null }, { ids: [] }, { ids: [null, true] }, { ids: "o-1" }, null, "o-1", ["o-1"]]) {
      assert.deepStrictEqual(found(schema, args), [])
    }
  })
})
