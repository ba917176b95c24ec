/** Tests what the compiled form of a tool says about its `success` schema, and how the form encodes and checks results. */
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import { compiledOf } from "#pipeline/call/CompiledTool"
import { implementation, resultCodec } from "#pipeline/call/ToolCompiler"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Result, Schema } from "effect"
import { define } from "../support.ts"

type Codec = Parameters<typeof resultCodec>[0]

/** Nests a schema in as many wrappers as there are levels. */
const nested = (levels: number, last: Codec, wrap: (inner: Codec) => Codec): Codec =>
  levels === 0 ? last : nested(levels - 1, wrap(last), wrap)

const struct = (inner: Codec) => Schema.Struct({ a: inner })
const list = (inner: Codec) => Schema.Array(inner)
const record = (inner: Codec) => Schema.Record(Schema.String, inner)
const either = (inner: Codec) => Schema.Union([Schema.Struct({ a: inner }), Schema.Struct({ b: Schema.String })])

const { Json } = Schema
const text = Schema.String
const day = new Date(0)

describe("encode", () => {
  for (const [what, success, value] of [
    ["a struct of scalars", Schema.Struct({ a: text, b: Schema.Int }), { a: "x", b: 1 }],
    ["a union", Schema.Union([struct(text), list(text)]), { a: "x" }],
    ["a struct with JSON", Schema.Struct({ a: Json, b: text, c: Schema.Finite }), { a: [1], b: "x", c: 1.5 }],
    ["JSON with a description", Json.annotate({ description: "The answer." }), { a: 1 }],
    ["JSON with a check", Schema.Struct({ a: Json.check(Schema.makeFilter(() => true)) }), { a: 1 }],
    ["a list of JSON", list(Json), [1]],
    ["a tuple with JSON", Schema.Tuple([text, Json]), ["x", {}]],
    ["a record of JSON", record(Json), { a: {} }],
    ["a record of JSON beside a field", Schema.StructWithRest(struct(Json), [record(Json)]), { a: 1, b: 2 }],
    ["JSON within 15 structs", nested(15, Json, struct), {}],
    ["JSON within 15 lists", nested(15, Json, list), []],
    ["JSON within 15 records", nested(15, Json, record), {}]
  ] as const) {
    it(`2.3 returns a value of ${what} itself, because it is its own JSON`, () => {
      assert.strictEqual(resultCodec(success, "value", false).encode(value), value)
    })
  }

  for (const [what, success, value, encoded] of [
    ["a date", Schema.Date, day, day.toJSON()],
    ["a number that may be infinite", Schema.Number, Number.POSITIVE_INFINITY, "Infinity"],
    [
      "a date beside a string",
      Schema.Struct({ a: text, b: Schema.Date }),
      { a: "x", b: day },
      { a: "x", b: day.toJSON() }
    ],
    ["a list of dates", list(Schema.Date), [day], [day.toJSON()]],
    ["a tuple with a date", Schema.Tuple([text, Schema.Date]), ["x", day], ["x", day.toJSON()]],
    [
      "a list whose rest is dates",
      Schema.TupleWithRest(Schema.Tuple([text]), [Schema.Date]),
      ["x", day],
      ["x", day.toJSON()]
    ],
    ["a record of dates", record(Schema.Date), { a: day }, { a: day.toJSON() }],
    [
      "a record of dates beside JSON",
      Schema.StructWithRest(Schema.Struct({ a: Json }), [
        Schema.Record(Schema.TemplateLiteral(["on ", text]), Schema.Date)
      ]),
      { a: 1, "on x": day },
      { a: 1, "on x": day.toJSON() }
    ],
    ["a union with a date", Schema.Union([Json, Schema.Struct({ a: Schema.Date })]), { a: day }, { a: day.toJSON() }],
    ["a renamed field", Schema.Struct({ a: text }).pipe(Schema.encodeKeys({ a: "b" })), { a: "x" }, { b: "x" }]
  ] as const) {
    it(`2.3 writes ${what} as JSON`, () => {
      assert.deepStrictEqual(resultCodec(success as Codec, "value", false).encode(value), encoded)
    })
  }

  for (const [what, wrap] of Object.entries({ struct, list, record })) {
    it(`2.3 encodes JSON within 16 levels of ${what}, and refuses a value of another form`, () => {
      assert.throws(() => resultCodec(nested(16, Json, wrap), "value", false).encode("text"))
    })
  }
})

describe("isClosed", () => {
  const open = (success: Codec) => !resultCodec(success, "value", false).isClosed

  it("4.15 holds for structs, lists, unions and scalars that are nested at most 15 levels deep", () => {
    const closed: Readonly<Record<string, Codec>> = {
      text,
      struct: Schema.Struct({ a: text, b: Schema.NullOr(Schema.Int), c: Schema.optionalKey(Schema.Literal("x")) }),
      list: list(struct(text)),
      tuple: Schema.TupleWithRest(Schema.Tuple([text]), [struct(text)]),
      union: either(text),
      "15 structs": nested(15, text, struct),
      "15 lists": nested(15, text, list),
      "7 unions of structs": nested(7, text, either)
    }
    assert.deepStrictEqual(
      Object.keys(closed).filter((name) => open(closed[name] as Codec)),
      []
    )
  })

  it("4.15 does not hold if a part of the schema is open or converted, or is nested more than 15 levels deep", () => {
    const opened: Readonly<Record<string, Codec>> = {
      "a number that may be infinite": Schema.Number,
      "a date": Schema.Date,
      JSON: Json,
      "a struct without fields": Schema.Struct({}),
      "a record": record(text),
      "a struct with more fields": Schema.StructWithRest(struct(text), [record(text)]),
      "JSON beside text": Schema.Struct({ a: text, b: Json }),
      "a renamed field": Schema.Struct({ a: text }).pipe(Schema.encodeKeys({ a: "b" })),
      "a list of JSON": list(Json),
      "a tuple with JSON": Schema.Tuple([text, Json]),
      "a list whose rest is JSON": Schema.TupleWithRest(Schema.Tuple([text]), [Json]),
      "a union with JSON": Schema.Union([struct(text), Schema.Struct({ b: Json })]),
      "16 structs": nested(16, text, struct),
      "16 lists": nested(16, text, list),
      "8 unions of structs": nested(8, text, either)
    }
    assert.deepStrictEqual(
      Object.keys(opened).filter((name) => !open(opened[name] as Codec)),
      []
    )
  })
})

describe("declares", () => {
  interface Tree {
    readonly name: string
    readonly inner: ReadonlyArray<Tree>
  }
  const tree: Codec = Schema.Struct({
    name: text,
    inner: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => tree as Schema.Codec<Tree>))
  })
  for (const [what, success, named, unnamed] of [
    ["a struct", Schema.Struct({ a: struct(text), b: text }), ["", "a", "b", "a.a"], ["c", "a.b", "b.a", "a.a.a"]],
    ["a renamed field", Schema.Struct({ a: text }).pipe(Schema.encodeKeys({ a: "b" })), ["a", "b"], ["c"]],
    ["a list", list(struct(text)), ["a"], ["b", "a.a"]],
    ["a tuple", Schema.Tuple([struct(text), Schema.Struct({ b: text })]), ["a", "b"], ["c"]],
    ["the rest of a list", Schema.TupleWithRest(Schema.Tuple([text]), [struct(text)]), ["a"], ["b"]],
    ["a union", either(struct(text)), ["a", "b", "a.a"], ["c", "a.b", "b.a"]],
    ["a tree", tree, ["name", "inner", "inner.name", "inner.inner.name"], ["other", "inner.other", "name.name"]],
    ["JSON", Json, [""], ["a"]],
    ["a record", record(text), [""], ["a"]]
  ] as const) {
    it(`5.3 knows the fields that ${what} names, and no others`, () => {
      const { declares } = resultCodec(success as Codec, "value", false)
      const known = (paths: ReadonlyArray<string>) =>
        paths.filter((path) => declares(path === "" ? [] : path.split(".")))
      assert.deepStrictEqual([known(named), known(unnamed)], [[...named], []])
    })
  }
})

describe("the errors of a result", () => {
  /** Returns the message about a value that violates a schema. */
  const message = (success: Codec, value: unknown): string =>
    Result.match(resultCodec(success, "value", false).decode(value), {
      onFailure: (issue) => ArgumentIssues.mismatch(ArgumentIssues.fromIssue(issue)).text,
      onSuccess: () => "accepted"
    })
  const rows = list(struct(Schema.Int))

  it("4.9 all errors of a small value are reported, with the values that violate the schema", () => {
    assert.strictEqual(
      message(rows, [{ a: "x" }, { a: 1 }, { a: true }]),
      "[0].a: expected integer, got string; [2].a: expected integer, got boolean"
    )
  })

  it("4.9 only the first error of a value with more than 10,000 parts is reported, with its value", () => {
    const wrong = Array.from({ length: 6_000 }, (_, n) => ({ a: n < 2 ? `x${n}` : n }))
    assert.strictEqual(message(rows, wrong), "[0].a: expected integer, got string")
  })

  it("4.9 a valid value is checked once", () => {
    let checks = 0
    const counted = text.check(Schema.makeFilter(() => (checks += 1) > 0))
    assert.strictEqual(message(counted, "x"), "accepted")
    assert.strictEqual(checks, 1)
  })

  it("4.9 a check that throws is reported as a schema that failed", () => {
    const broken = text.check(
      Schema.makeFilter(() => {
        throw new Error("the check has a bug")
      })
    )
    assert.strictEqual(message(broken, "x"), "result: could not be checked: the tool's schema failed on it")
  })
})

describe("text", () => {
  it("4.9 the text of a handler is the result itself only if the result is a string or bytes", () => {
    const kinds = [text, Schema.TemplateLiteral(["#", text]), Schema.Uint8Array, Schema.Date, Json, struct(text)]
    assert.deepStrictEqual(
      kinds.map((success) => resultCodec(success, "value", false).text),
      ["string", "string", "bytes", "json", "json", "json"]
    )
    assert.deepStrictEqual(
      [text, Schema.Uint8Array].map((success) => resultCodec(success, "json", false).text),
      ["json", "json"]
    )
  })
})

describe("a compiled tool", () => {
  it("10.3 its fingerprint changes with its description, access and parameters, and with nothing else", () => {
    const fingerprint = (name: string, over: object = {}) => compiledOf(define(name, over)).fingerprint
    const same = fingerprint("search", { timeout: "1 second" })
    assert.strictEqual(fingerprint("find"), same)
    const changed = [
      fingerprint("search", { description: "Finds. Read-only." }),
      fingerprint("search", { access: "write" }),
      fingerprint("search", { parameters: Schema.Struct({ id: text }) })
    ]
    assert.strictEqual(new Set([same, ...changed]).size, 4)
  })

  it("2.1 services of the caller take precedence over those of the tool's layer", () => {
    class Name extends Context.Service<Name, string>()("test/Name") {}
    class Place extends Context.Service<Place, string>()("test/Place") {}
    const layer = Context.make(Name, "layer").pipe(Context.add(Place, "layer"))
    const { contextFor } = implementation(() => Effect.void, layer as Context.Context<never>)
    const caller = Context.make(Name, "caller") as Context.Context<never>
    const merged = contextFor(caller) as Context.Context<never>
    const read = (context: Context.Context<never>) => [
      Context.getOrUndefined(context as Context.Context<Name>, Name),
      Context.getOrUndefined(context as Context.Context<Place>, Place)
    ]
    assert.deepStrictEqual(read(merged), ["caller", "layer"])
    assert.strictEqual(contextFor(caller), merged)
    assert.deepStrictEqual(read(contextFor(Context.empty())), ["layer", "layer"])
    assert.deepStrictEqual(read(contextFor(caller)), ["caller", "layer"])
  })
})
