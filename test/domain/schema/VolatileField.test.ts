import { assert, describe, it } from "@effect/vitest"
import { volatile, without } from "#domain/schema/VolatileField"
import { Schema, SchemaTransformation } from "effect"

const At = Schema.String.pipe(volatile)

/** Returns a result without its volatile fields, or "all" if the schema marks no field. */
const steady = (schema: Schema.Top, encoded: unknown): unknown => {
  const strip = without(schema)
  return strip === undefined ? "all" : strip(encoded)
}

/** Wraps a schema into this many objects. */
const deep = (levels: number, schema: Schema.Top): Schema.Top =>
  levels === 0 ? schema : Schema.Struct({ inner: deep(levels - 1, schema) })

/** Wraps a value into this many objects. */
const wrapped = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : { inner: wrapped(levels - 1, value) }

/** A schema that contains itself. */
interface Node {
  readonly at: string
  readonly inner?: Node
}
const Node: Schema.Codec<Node> = Schema.Struct({
  at: At,
  inner: Schema.optionalKey(Schema.suspend((): Schema.Codec<Node> => Node))
})

describe("Volatile", () => {
  it("7.1 keeps everything if the schema has no mark", () => {
    assert.isUndefined(without(Schema.Struct({ at: Schema.String, rows: Schema.Array(Schema.Int) })))
    assert.isUndefined(without(Schema.String))
  })

  const places: ReadonlyArray<readonly [string, Schema.Top, unknown, unknown]> = [
    ["marked", Schema.Struct({ n: Schema.Int, at: At }), { n: 1, at: "x" }, { n: 1 }],
    ["optional", Schema.Struct({ n: Schema.Int, at: Schema.optionalKey(At) }), { n: 1, at: "x" }, { n: 1 }],
    ["optional or undefined", Schema.Struct({ n: Schema.Int, at: Schema.optional(At) }), { n: 1, at: "x" }, { n: 1 }],
    ["nullable", Schema.Struct({ n: Schema.Int, at: Schema.NullOr(At) }), { n: 1, at: null }, { n: 1 }],
    [
      "marked before a check",
      Schema.Struct({ n: Schema.Int, at: At.check(Schema.isMinLength(1)) }),
      { n: 1, at: "x" },
      { n: 1 }
    ],
    [
      "marked before a transformation",
      Schema.Struct({ n: Schema.Int, at: At.pipe(Schema.decode(SchemaTransformation.trim())) }),
      { n: 1, at: "x" },
      { n: 1 }
    ],
    [
      "renamed",
      Schema.Struct({ n: Schema.Int, at: At }).pipe(Schema.encodeKeys({ at: "ts" })),
      { n: 1, ts: "x" },
      { n: 1 }
    ],
    [
      "nested",
      Schema.Struct({ meta: Schema.Struct({ at: At, n: Schema.Int }) }),
      { meta: { at: "x", n: 1 } },
      { meta: { n: 1 } }
    ],
    [
      "in each element",
      Schema.Struct({ rows: Schema.Array(Schema.Struct({ n: Schema.Int, at: At })) }),
      { rows: [{ n: 1, at: "x" }, { n: 2 }] },
      { rows: [{ n: 1 }, { n: 2 }] }
    ],
    [
      "in an element of a tuple",
      Schema.Struct({ pair: Schema.Tuple([Schema.Int, Schema.Struct({ n: Schema.Int, at: At })]) }),
      { pair: [1, { n: 1, at: "x" }] },
      { pair: [1, { n: 1 }] }
    ],
    [
      "twelve levels deep",
      deep(12, Schema.Struct({ n: Schema.Int, at: At })),
      wrapped(12, { n: 1, at: "x" }),
      wrapped(12, { n: 1 })
    ],
    [
      "in a class",
      class Row extends Schema.Class<Row>("Row")({ n: Schema.Int, at: At }) {},
      { n: 1, at: "x" },
      { n: 1 }
    ],
    [
      "a whole object",
      Schema.Struct({ n: Schema.Int, meta: Schema.Struct({ a: Schema.Int }).pipe(volatile) }),
      { n: 1, meta: { a: 1 } },
      { n: 1 }
    ],
    [
      "in one member of a union",
      Schema.Union([
        Schema.Struct({ kind: Schema.Literal("a"), at: At, row: Schema.Struct({ n: Schema.Int, id: At }) }),
        Schema.Struct({ kind: Schema.Literal("b"), seen: At, row: Schema.Struct({ n: Schema.Int, no: At }) })
      ]),
      { kind: "b", at: "x", seen: "y", row: { n: 1, id: "x", no: "y" } },
      { kind: "b", row: { n: 1 } }
    ],
    [
      "in the first member of a union only",
      Schema.Union([Schema.Struct({ n: Schema.Int, at: At }), Schema.Struct({ n: Schema.Int })]),
      { n: 1, at: "x" },
      { n: 1 }
    ],
    ...[0, 1].map((first): readonly [string, Schema.Top, unknown, unknown] => {
      const whole = Schema.Struct({ n: Schema.Int, meta: Schema.Struct({ id: Schema.Int }).pipe(volatile) })
      const part = Schema.Struct({ n: Schema.Int, meta: Schema.Struct({ id: Schema.Int, at: At }) })
      return [
        `whole in the ${first === 0 ? "first" : "second"} member of a union, and partly marked in the other`,
        Schema.Union(first === 0 ? [whole, part] : [part, whole]),
        { n: 1, meta: { id: 1, at: "x" } },
        { n: 1 }
      ]
    })
  ]
  for (const [what, schema, encoded, expected] of places) {
    it(`7.1 leaves out a field that is ${what}`, () => {
      assert.deepStrictEqual(steady(schema, encoded), expected)
    })
  }

  it("7.1 keeps undeclared fields, and values of other types, unchanged", () => {
    const schema = Schema.Struct({ at: At, rows: Schema.Array(Schema.Struct({ at: At })) })
    for (const encoded of [
      null,
      7,
      "text",
      {},
      { more: { at: "x" } },
      { rows: null },
      { rows: [null, "x", 7] },
      [{ at: "x" }]
    ]) {
      assert.deepStrictEqual(steady(schema, encoded), encoded)
    }
  })

  it("7.1 follows a recursive schema", () => {
    assert.deepStrictEqual(steady(Node, { at: "x", inner: { at: "y", inner: { at: "z" } } }), { inner: { inner: {} } })
  })

  it("7.1 follows a recursive schema down to four levels of the recursion", () => {
    const nested = (levels: number): object => (levels === 0 ? { at: "x" } : { at: "x", inner: nested(levels - 1) })
    assert.deepStrictEqual(steady(Node, nested(6)), wrapped(5, nested(1)))
  })

  it("7.1 reads marks inside of at most 400 nodes", () => {
    const row = Schema.Struct({ n: Schema.Int, at: At })
    assert.deepStrictEqual(steady(deep(400, row), wrapped(400, { n: 1, at: "x" })), wrapped(400, { n: 1 }))
    assert.strictEqual(steady(deep(401, row), wrapped(401, { n: 1, at: "x" })), "all")
  })

  it("7.1 reads a part that is used in many places once", () => {
    const pair = (schema: Schema.Top): Schema.Top => Schema.Struct({ a: schema, b: schema })
    const wide = Array.from({ length: 60 }).reduce(pair, Schema.Struct({ n: Schema.Int }))
    assert.isUndefined(without(wide))
  })

  it("7.1 does not change the value itself", () => {
    const encoded = { n: 1, at: "x", rows: [{ at: "y" }] }
    steady(Schema.Struct({ n: Schema.Int, at: At, rows: Schema.Array(Schema.Struct({ at: At })) }), encoded)
    assert.deepStrictEqual(encoded, { n: 1, at: "x", rows: [{ at: "y" }] })
  })
})
