import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import * as ArgumentIssues from "#domain/schema/ArgumentIssues"
import * as EnvelopeError from "#domain/envelope/EnvelopeError"
import { ToolArgError } from "#domain/failure/Failure"
import { codes } from "#domain/failure/FailureCode"

type Parameters = Schema.Codec<unknown, unknown>

const issuesOf = (schema: Parameters, value: unknown): ReadonlyArray<ArgumentIssues.ArgumentIssue> => {
  const decoded = Schema.decodeUnknownResult(Schema.toCodecJson(schema))(value, ArgumentIssues.argumentOptions)
  return Result.isFailure(decoded) ? ArgumentIssues.fromIssue(decoded.failure.issue) : []
}
const errors = (schema: Parameters, value: unknown, options?: ArgumentIssues.TextOptions): string =>
  ArgumentIssues.instruction(issuesOf(schema, value), { budget: 10_000, maxIssues: 20, ...options }).text.replace(
    "Please rewrite the input with valid arguments. Errors: ",
    ""
  )

/** Returns the envelope of an argument error as a model reads it. */
const envelope = (schema: Parameters, value: unknown): string => {
  const { fields, text } = ArgumentIssues.instruction(issuesOf(schema, value))
  const failure = new ToolArgError({
    tool: "t",
    code: "invalid_arguments",
    detail: text,
    hint: codes.invalid_arguments.hint,
    sideEffect: "none",
    traceId: "tr_8f3a91c2000001",
    fields
  })
  const error = EnvelopeError.make(failure, { access: "write", remaining: 3 })
  assert.strictEqual(error.message, text)
  assert.deepStrictEqual(error.fields ?? [], fields)
  return JSON.stringify({ status: "error", error })
}

const ReadFile = Schema.Struct({ file_path: Schema.String, limit: Schema.Finite })
const Status = Schema.Struct({ status: Schema.Literals(["placed", "shipped", "delivered", "cancelled"]) })
const Item = Schema.Struct({ sku: Schema.String, qty: Schema.Int, cents: Schema.Int })
const Cart = Schema.Struct({ items: Schema.Array(Item) })

describe("ArgumentIssues.fromIssue", () => {
  it("4.4 lists every issue with path, code, the expectation and the type of the value", () => {
    assert.deepStrictEqual(issuesOf(ReadFile, { limit: "10", mode: 1 }), [
      { path: ["file_path"], code: "missing" },
      { path: ["limit"], code: "type", expected: "number", got: "string" },
      { path: ["mode"], code: "unexpected", allowed: ["file_path", "limit"] }
    ])
  })

  it("4.4 puts missing fields first and excess fields last by name, the rest in the order of the schema", () => {
    const schema = Schema.Struct({ b: Schema.Int, a: Schema.Int, z: Schema.String, y: Schema.String })
    const paths = (value: unknown) => issuesOf(schema, value).map(({ path }) => path[0])
    assert.deepStrictEqual(paths({ x2: 1, x1: 1, a: "1", b: "1" }), ["z", "y", "b", "a", "x1", "x2"])
    assert.deepStrictEqual(paths({ b: "1", x1: 1, a: "1", x2: 1 }), ["z", "y", "b", "a", "x1", "x2"])
  })
})

describe("ArgumentIssues.instruction", () => {
  it("4.4 instructs the model to rewrite its arguments", () => {
    assert.deepStrictEqual(ArgumentIssues.instruction(issuesOf(ReadFile, { limit: "ten" })), {
      text: "Please rewrite the input with valid arguments. Errors: file_path: Required; limit: expected number, got string",
      fields: ["file_path", "limit"]
    })
  })

  it("4.4 shows the values of an enum, the value that was sent and the nearest value", () => {
    assert.strictEqual(
      errors(Status, { status: "shipping" }),
      `status: expected one of placed, shipped, delivered, cancelled, got "shipping"; nearest: shipped`
    )
    assert.strictEqual(
      errors(Status, { status: "shipping" }, { showValue: () => false }),
      "status: expected one of placed, shipped, delivered, cancelled, got string"
    )
    assert.strictEqual(
      errors(Status, { status: "x".repeat(41) }),
      "status: expected one of placed, shipped, delivered, cancelled, got string"
    )
    assert.strictEqual(errors(Status, { status: "x".repeat(40) }).includes("x".repeat(40)), true)
    assert.strictEqual(errors(Status, {}), "status: Required")
  })

  it("4.4 shows at most ten values of an enum, fewer if the line is full, and always the nearest", () => {
    const codes = Array.from({ length: 25 }, (_, i) => `code_number_${String(i).padStart(2, "0")}`)
    const Coded = Schema.Struct({ code: Schema.Literals(codes) })
    assert.strictEqual(
      errors(Coded, { code: "kode_number_17" }),
      `code: expected one of code_number_00 (+24 more), got "kode_number_17"; nearest: code_number_17`
    )
    const Short = Schema.Struct({ code: Schema.Literals(codes.map((code) => code.slice(-2))) })
    assert.strictEqual(
      errors(Short, { code: "XY" }),
      `code: expected one of 00, 01, 02, 03, 04, 05, 06, 07, 08, 09 (+15 more), got "XY"`
    )
  })

  it("4.4 recognises enums in all forms, including numbers and null", () => {
    const schema = Schema.Struct({
      a: Schema.Literal("only"),
      b: Schema.Enum({ A: "north", B: "south" } as const),
      c: Schema.NullOr(Schema.Literals(["x", "y z"])),
      d: Schema.Literals([1, 2])
    })
    assert.strictEqual(
      errors(schema, { a: "other", b: null, c: "w", d: "1" }),
      `a: expected only, got "other"; b: expected one of north, south, got null; ` +
        `c: expected one of x, "y z", null, got "w"; d: expected one of 1, 2, got "1"; nearest: 1`
    )
  })

  it("4.4 names an excess field with the nearest declared name, or with all of them", () => {
    const schema = Schema.Struct({ customer_id: Schema.String, page: Schema.optionalKey(Schema.Int) })
    assert.strictEqual(
      errors(schema, { customerId: "C-1", verbose: true }),
      "customer_id: Required; customerId: unknown field; nearest: customer_id; " +
        "verbose: unknown field; allowed: customer_id, page"
    )
  })

  it("4.4 keeps the union member with the fewest issues, and reports an unknown tag at the tag", () => {
    const Plain = Schema.Struct({
      target: Schema.Union([
        Schema.Struct({ id: Schema.String, zip: Schema.String }),
        Schema.Struct({ id: Schema.String, lat: Schema.Finite, lon: Schema.Finite })
      ])
    })
    assert.strictEqual(
      errors(Plain, { target: { id: "x", lat: 1, lon: "2" } }),
      "target.lon: expected number, got string"
    )
    const Shape = Schema.Struct({
      shape: Schema.Union([
        Schema.Struct({ kind: Schema.Literal("circle"), r: Schema.Finite }),
        Schema.Struct({ kind: Schema.Literal("square"), a: Schema.Finite })
      ])
    })
    assert.strictEqual(errors(Shape, { shape: { kind: "square", a: "1" } }), "shape.a: expected number, got string")
    assert.strictEqual(
      errors(Shape, { shape: { kind: "squares" } }),
      `shape.kind: expected one of circle, square, got "squares"; nearest: square`
    )
    assert.strictEqual(errors(Shape, { shape: {} }), "shape.kind: Required, one of circle, square")
    assert.strictEqual(errors(Shape, { shape: "circle" }), "shape: expected object, got string")
    const Mixed = Schema.Struct({ v: Schema.Union([Schema.String, Schema.Int]), w: Schema.NullOr(Schema.Boolean) })
    assert.strictEqual(
      errors(Mixed, { v: true, w: "yes" }),
      "v: expected string or integer, got boolean; w: expected boolean or null, got string"
    )
  })

  it("4.4 describes what a check demands, and the size of the value", () => {
    const schema = Schema.Struct({
      code: Schema.String.check(Schema.isMinCodePoints(3)),
      name: Schema.String.check(Schema.isMaxCodePoints(1)),
      pin: Schema.String.check(Schema.isBetweenCodePoints(4, 6)),
      tags: Schema.Array(Schema.String).check(Schema.isMaxLength(2)),
      page: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
      count: Schema.Int,
      total: Schema.Int,
      slug: Schema.String.check(Schema.isPattern(/^[a-z]+$/u)),
      when: Schema.Date
    })
    assert.deepStrictEqual(
      errors(schema, {
        code: "a",
        name: "😀😀",
        pin: "1",
        tags: ["a", "b", "c"],
        page: 400,
        count: 1.5,
        total: 2 ** 53,
        slug: "A",
        when: "tomorrow"
      }).split("; "),
      [
        "code: expected at least 3 characters, got 1",
        "name: expected at most 1 character, got 2",
        "pin: expected 4 to 6 characters, got 1",
        "tags: expected at most 2 items, got 3",
        "page: expected a value between 1 and 100",
        "count: expected integer, got a fraction",
        "total: expected integer, got a number beyond 2^53",
        "slug: expected a string matching the RegExp ^[a-z]+$",
        "when: expected a valid Date"
      ]
    )
  })

  it("4.4 prefers the author's message, in one line, unless it repeats a long value", () => {
    const schema = Schema.Struct({
      range: Schema.Struct({ from: Schema.Int, to: Schema.Int }).check(
        Schema.makeFilter(({ from, to }) => from <= to || { path: ["to"], issue: "to must not\nbe before from" })
      ),
      key: Schema.String.annotateKey({ messageMissingKey: "send the key that list_keys gave" }),
      id: Schema.String.check(
        Schema.makeFilter((id) => id.startsWith("C-") || `not an id: ${id}`, { expected: "an id" })
      )
    })
    assert.strictEqual(
      errors(schema, { range: { from: 2, to: 1 }, id: "X-1" }),
      "key: send the key that list_keys gave; range.to: to must not be before from; id: not an id: X-1"
    )
    assert.include(errors(schema, { range: { from: 1, to: 1 }, key: "k", id: "s".repeat(60) }), "id: expected an id")
  })

  it("4.4 describes five issues in at most a hundred characters each, then counts the others", () => {
    const value = { items: Array.from({ length: 12 }, () => ({ sku: "a", qty: "1", cents: 1 })) }
    const { fields, text } = ArgumentIssues.instruction(issuesOf(Cart, value))
    assert.strictEqual(
      text,
      "Please rewrite the input with valid arguments. Errors: " +
        [0, 1, 2, 3, 4].map((i) => `items[${i}].qty: expected integer, got string`).join("; ") +
        " (+7 more)"
    )
    assert.deepStrictEqual(
      fields,
      [0, 1, 2, 3, 4].map((i) => `items[${i}].qty`)
    )
    const long = Schema.Struct({
      ["p".repeat(90)]: Schema.String.check(Schema.isPattern(/^[a-z]{3}[0-9]{3}[x-z]{1,70}$/u))
    })
    const [line = ""] = errors(long, { ["p".repeat(90)]: "" }).split("; ")
    assert.strictEqual(line.indexOf(": "), 40)
    assert.isAtMost(line.length - 42, 100)
  })

  it("4.4 shortens paths before allowed values, and lists the full path of each described field", () => {
    const Update = Schema.Struct({
      should_delete: Schema.Boolean,
      visibility: Schema.Literals(["masked", "unmasked", "restricted", "inherited"]),
      value_type: Schema.Struct({ type: Schema.String })
    })
    const Nested = Schema.Struct({
      change_request_units: Schema.Array(Schema.Struct({ pending_updates: Schema.Array(Update) }))
    })
    const update = { should_delete: "yes", visibility: "maskd", value_type: "text" }
    const value = { change_request_units: [{ pending_updates: [update] }] }
    const at = "change_request_units[0].pending_updates[0]"
    assert.deepStrictEqual(ArgumentIssues.instruction(issuesOf(Nested, value)), {
      text:
        "Please rewrite the input with valid arguments. Errors: " +
        "…[0].should_delete: expected boolean, got string; " +
        '…[0].visibility: expected one of masked, unmasked, restricted, inherited, got "maskd"; nearest: masked (+1 more)',
      fields: [`${at}.should_delete`, `${at}.visibility`]
    })
    const whole = ArgumentIssues.instruction(issuesOf(Nested, value), { budget: 600 })
    assert.strictEqual(whole.fields.length, 3)
    assert.include(whole.text, `${at}.visibility: expected one of masked, unmasked, restricted, inherited, got "maskd"`)
  })

  it("4.4 drops issues before it cuts their lists of allowed values", () => {
    const Wide = Schema.Struct({ a_long_name_of_a_field: Schema.String, b: Schema.Int, c: Schema.Int })
    const excess = { a_long_name_of_a_field: "", b: 1, c: 1, x1: 1, x2: 1, x3: 1, x4: 1, x5: 1 }
    const line = (name: string) => `${name}: unknown field; allowed: a_long_name_of_a_field, b, c`
    const { fields, text } = ArgumentIssues.instruction(issuesOf(Wide, excess), { budget: 280 })
    assert.include(text, `Errors: ${line("x1")}; ${line("x2")}; ${line("x3")} (+2 more)`)
    assert.deepStrictEqual(fields, ["x1", "x2", "x3"])
    const state = Schema.Literals(["a_long_name_of_a_state", "b_long_name_of_a_state"])
    const States = Schema.Struct({ s1: state, s2: state, s3: state })
    const typo = "b_long_name_of_a_stat"
    assert.strictEqual(
      ArgumentIssues.instruction(issuesOf(States, { s1: typo, s2: typo, s3: typo }), { maxLength: 80, budget: 400 })
        .text,
      "Please rewrite the input with valid arguments. Errors: " +
        ["s1", "s2", "s3"]
          .map((name) => `${name}: expected one of b_long_name_of_a_state (+1 more), got "${typo}"`)
          .join("; ")
    )
  })

  it("4.4 shortens, then drops issues, until text and fields fit the budget", () => {
    const value = {
      items: Array.from({ length: 12 }, () => ({ sku: 1, qty: "1", cents: "1", [`"${"x".repeat(99)}`]: 1 }))
    }
    const issues = issuesOf(Cart, value)
    let counted = 0
    for (let budget = 600; budget >= 0; budget -= 7) {
      const { fields, text } = ArgumentIssues.instruction(issues, { budget })
      const size = JSON.stringify(text).length - 2 + (fields.length === 0 ? 0 : JSON.stringify(fields).length - 2)
      assert.isAtMost(size, Math.max(budget, 0), text)
      const more = Number(/\(\+(\d+) more\)$/.exec(text)?.[1] ?? Infinity)
      assert.isAtLeast(more, counted)
      counted = more
    }
    assert.strictEqual(counted, Infinity)
  })

  it("4.4 describes arguments that are not an object", () => {
    assert.deepStrictEqual(ArgumentIssues.instruction(issuesOf(ReadFile, "file.txt")), {
      text: "Please rewrite the input with valid arguments. Errors: arguments: expected object, got string",
      fields: []
    })
    assert.strictEqual(ArgumentIssues.instruction([]).fields.length, 0)
  })

  it("5.5 the whole envelope of an instruction has few tokens and at most 600 characters", () => {
    const twelve = { items: Array.from({ length: 12 }, () => ({ sku: "a", qty: "1", cents: 1 })) }
    const three = { customer_id: 1, pages: "2", limit: "ten" }
    const Search = Schema.Struct({ customer_id: Schema.String, page: Schema.Int, limit: Schema.Int })
    const tokens = (schema: Parameters, value: unknown) => encode(envelope(schema, value)).length
    assert.isBelow(tokens(Cart, twelve), 200)
    assert.isBelow(tokens(ReadFile, { limit: 1 }), 90)
    assert.isBelow(tokens(Search, three), 130)
    const worst = { [`"${"x".repeat(20_000)}`]: 1, ...twelve, items2: 1, status: "s", "\n": 2, 'a"b"c"': 3, "ü-ß": 4 }
    assert.isAtMost(envelope(Cart, worst).length - `{"status":"error","error":}`.length, 600)
  })

  it.effect("5.5 never echoes more than 40 characters of what was sent", () =>
    Effect.gen(function* () {
      const schema = Schema.Struct({
        a: Schema.Literals(["x", "y"]),
        b: Schema.Union([Schema.Int, Schema.Struct({ k: Schema.Literal("k"), v: Schema.BigInt })]),
        c: Schema.fromJsonString(Schema.Struct({ x: Schema.Int })),
        d: Schema.URL,
        e: Schema.Record(Schema.String, Schema.Date),
        f: Schema.String.check(Schema.makeFilter((text) => `refused: ${text}`)),
        g: Schema.TemplateLiteral(["id-", Schema.Int])
      })
      const Long = Schema.String.check(Schema.isMinCodePoints(41), Schema.isMaxCodePoints(300))
      const Sent = Schema.Struct({ long: Long, key: Long })
      const found = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Sent),
        ({ long, key }) => {
          const values = [
            { a: long, b: { k: "k", v: long }, c: long, d: long, e: { [key]: long }, f: long, g: long, [long]: 1 },
            { a: long, b: { k: long }, c: `{"x":"${long}`, d: `http://[${long}`, e: long, f: [long], g: { long } }
          ]
          for (const value of values) {
            const issues = issuesOf(schema, value)
            assert.isAbove(issues.length, 4)
            for (const text of [
              ArgumentIssues.instruction(issues, { budget: 9999, maxIssues: 20, maxLength: 999 }).text,
              ArgumentIssues.mismatch(issues, { budget: 9999, maxIssues: 20, maxLength: 999 }).text
            ]) {
              for (const sent of [long, key]) {
                for (let i = 0; i + 41 <= sent.length; i++) assert.notInclude(text, sent.slice(i, i + 41))
              }
              assert.notMatch(text, /[\n\r]/)
            }
          }
          return true
        },
        { seed: 55, runs: 100 }
      )
      assert.strictEqual(found._tag, "Passed", Arbitrary.formatCheckFailure(found))
    })
  )
})

describe("the text of an issue", () => {
  type Issue = ArgumentIssues.ArgumentIssue
  const prefix = "Please rewrite the input with valid arguments. Errors: "
  const issue = (more: Partial<Issue>, name = "a"): Issue => ({ path: [name], code: "enum", ...more })
  const described = (issues: ReadonlyArray<Issue>, options: ArgumentIssues.TextOptions = {}) => {
    const { fields, text } = ArgumentIssues.instruction(issues, { budget: 10_000, ...options })
    return { fields, text: text.replace(prefix, "") }
  }

  it("4.4 names a refusal, an ambiguous value, an unknown field and a value that nothing satisfies", () => {
    const texts = (more: Partial<Issue>) => described([issue(more)]).text
    assert.strictEqual(texts({ code: "ambiguous" }), "a: fits more than one of the allowed forms")
    assert.strictEqual(texts({ code: "forbidden" }), "a: not allowed")
    assert.strictEqual(texts({ code: "unexpected", allowed: [] }), "a: unknown field")
    assert.strictEqual(texts({ code: "enum", allowed: [] }), "a: expected nothing")
    assert.strictEqual(texts({ code: "value" }), "a: expected a valid value")
  })

  it("4.4 a list is cut only if it does not fit, and the nearest value then takes the place of the others", () => {
    const names = issue({ allowed: ["alpha_alpha_alpha", "beta_beta_beta", "gamma"], got: "number" })
    const whole = "a: expected one of alpha_alpha_alpha, beta_beta_beta, gamma, got number"
    assert.strictEqual(described([names], { maxLength: whole.length - 3 }).text, whole)
    assert.strictEqual(
      described([names], { maxLength: whole.length - 4 }).text,
      "a: expected one of alpha_alpha_alpha (+2 more), got number"
    )
    assert.strictEqual(described([names], { maxLength: 30 }).text, "a: expected one of alpha_alpha_a…")
    const near = issue({ allowed: ["x1", "x2", "statement"], sent: "statemen" })
    const full = 'a: expected one of x1, x2, statement, got "statemen"; nearest: statement'
    assert.strictEqual(described([near], { maxLength: full.length - 3 }).text, full)
    const short = 'a: expected one of x1 (+2 more), got "statemen"; nearest: statement'
    assert.strictEqual(described([near], { maxLength: short.length - 3 }).text, short)
    assert.strictEqual(
      described([near], { maxLength: short.length - 4 }).text,
      'a: expected one of statement, x1, x2, got "statemen"'
    )
  })

  it("4.4 issues are dropped before a list of a single value is cut, and other long texts are cut first", () => {
    const name = (end: string) => "n".repeat(39) + end
    const long = (at: string) => issue({ allowed: ["a", "b"].map(name), sent: name("c") }, at)
    const { fields, text } = described([long("a"), long("b"), long("c")])
    assert.deepStrictEqual(fields, ["a"])
    assert.match(text, /^a: expected one of n{39}.* \(\+2 more\)$/)
    const other = (at: string) => issue({ code: "value", expected: "x".repeat(150) }, at)
    assert.deepStrictEqual(described([other("a"), other("b")]).fields, ["a", "b"])
    const fits = (at: string) => issue({ allowed: ["x", "y"], got: "number" }, at)
    const { length } = "expected one of x, y, got number"
    assert.deepStrictEqual(described([fits("a"), fits("b")], { maxLength: length }).fields, ["a", "b"])
  })

  it("4.4 the limits are the largest number of issues and the largest size", () => {
    const many = ["a", "b", "c", "d", "e"].map((name) => issue({ code: "missing" }, name))
    assert.deepStrictEqual(described(many, { maxIssues: 2 }), {
      fields: ["a", "b"],
      text: "a: Required; b: Required (+3 more)"
    })
    const size = (prefix + described(many).text).length + many.length * 4
    assert.strictEqual(described(many, { budget: size }).fields.length, 5)
    assert.strictEqual(described(many, { budget: size - 1 }).fields.length, 4)
    const { fields, text } = ArgumentIssues.instruction([issue({ code: "missing" }, "customer_id")], { budget: 65 })
    assert.deepStrictEqual([fields, text], [[], `${prefix}customer_…`])
  })
})

describe("ArgumentIssues.mismatch", () => {
  it("4.9 describes where a result breaks its schema", () => {
    const Orders = Schema.Struct({ orders: Schema.Array(Schema.Struct({ id: Schema.String, cents: Schema.Int })) })
    const value = {
      orders: [
        { id: "A", cents: 1 },
        { id: "B", cents: 2 },
        { id: "C", cents: "3" }
      ],
      more: 1
    }
    const decoded = Schema.decodeUnknownResult(Schema.toCodecJson(Orders))(value, ArgumentIssues.resultOptions)
    assert.isTrue(Result.isFailure(decoded))
    const issues = ArgumentIssues.fromIssue(Result.getOrThrow(Result.flip(decoded)).issue)
    assert.deepStrictEqual(ArgumentIssues.mismatch(issues), {
      text: "orders[2].cents: expected integer, got string",
      fields: ["orders[2].cents"]
    })
    assert.deepStrictEqual(ArgumentIssues.mismatch(issuesOf(Orders, [])), {
      text: "result: expected object, got array",
      fields: []
    })
  })
})
