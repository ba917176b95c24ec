import * as Contract from "#domain/schema/Contract"
import { decodeArguments } from "#pipeline/stages/decodeArguments"
import { locate } from "#pipeline/stages/locate"
import { parse } from "#pipeline/stages/parse"
import { Guard } from "#src/guard/Guard"
import * as DigestMemory from "#layers/DigestMemory"
import * as RedactorMemory from "#layers/RedactorMemory"
import * as CallLogMemory from "#layers/CallLogMemory"
import { CallLog } from "#services/CallLog"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { alone, ask, define, failureOf, settled, tool, within } from "./support.ts"

const success = Schema.Struct({ n: Schema.Int })
const Page = Schema.Int.annotate({ default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(1)))

/** Makes a call with these arguments; returns what the model reads and the arguments that the handler receives. */
const calling = (text: unknown, definition: object = {}, more: object = {}) => {
  const search = tool("search", definition, { n: 1 })
  return Effect.map(ask([search.tool], "search", text, more), ({ envelope, outcome }) => ({
    envelope,
    error: envelope.error,
    outcome,
    args: search.calls[0]?.args as unknown,
    runs: search.runs()
  })).pipe(within([search.layer]))
}

describe("locate", () => {
  const tools = ["search_orders", "search_customers", "refund_order", "cancel_order"].map((name) => define(name))

  for (const [name, hint] of [
    ["serch_orders", "Did you mean search_orders?"],
    ["searchOrders", "Did you mean search_orders?"],
    ["SEARCH_ORDERS", "Did you mean search_orders?"]
  ] as const) {
    it.effect(`4.1 the hint for ${name} is: ${hint}`, () =>
      Effect.gen(function* () {
        const { attempts, envelope } = yield* ask(tools, name, "{}")
        assert.deepStrictEqual(
          [envelope.error.error_class, envelope.error.code, envelope.error.message, envelope.error.next_step, attempts],
          ["tool_arg_error", "unknown_tool", `No tool is named "${name}".`, "fix_arguments", 0]
        )
        assert.include(envelope.error.hint, hint.slice(0, -1))
      }).pipe(within([]))
    )
  }

  it.effect("4.1 the hint lists the tools if no name is near", () =>
    Effect.gen(function* () {
      const { envelope } = yield* ask(tools, "zzzzzzzzz", "{}")
      assert.strictEqual(envelope.error.hint, "Tools: search_orders, search_customers, refund_order, cancel_order.")
      const none = yield* ask([], "yyyyyyyyy", "{}")
      assert.strictEqual(none.envelope.error.hint, "There are no tools. Answer without a tool.")
      const many = yield* ask(
        Array.from({ length: 9 }, (_, n) => define(`tool_${n}`)),
        "xxxxxxxxx",
        "{}"
      )
      assert.strictEqual(
        many.envelope.error.hint,
        "Tools: tool_0, tool_1, tool_2, tool_3, tool_4, tool_5, tool_6, tool_7, …."
      )
    }).pipe(within([]))
  )

  for (const name of ["constructor", "__proto__", "toString", "", " ", "a".repeat(10_000), "\u0000\u202e", "💥"]) {
    it.effect(`4.1 the name ${JSON.stringify(name.slice(0, 20))} is refused without a crash`, () =>
      Effect.gen(function* () {
        const { envelope, text } = yield* ask(tools, name, '{"q":"a"}')
        assert.strictEqual(envelope.error.code, "unknown_tool")
        assert.isAtMost(text.length, 650)
      }).pipe(within([]))
    )
  }

  it.effect("4.1 a call of an existing tool runs", () =>
    Effect.gen(function* () {
      const stage = yield* alone(locate, define("search"))
      assert.deepStrictEqual(yield* stage.run(), { _tag: "Success", value: "next" })
    })
  )
})

describe("parse", () => {
  it.effect("4.2 a text is parsed, and a value is passed on unchanged", () =>
    Effect.gen(function* () {
      const stage = yield* alone(parse, define("search"))
      yield* stage.run({ input: '{"q":"a"}', origin: "text" })
      const value = { q: "b" }
      yield* stage.run({ input: value, origin: "program" })
      assert.deepStrictEqual(stage.passed[0]?.input, { q: "a" })
      assert.strictEqual(stage.passed[1]?.input, value)
    })
  )

  for (const [what, text, args] of [
    ["a byte order mark", '\uFEFF{"q":"a"}', { q: "a" }],
    ["white space", ' \n{"q" : "a"}\t', { q: "a" }],
    ["an object inside a JSON string", '"{\\"q\\":\\"a\\"}"', { q: "a" }],
    ["a duplicate key, whose last value counts", '{"q":"b","q":"a"}', { q: "a" }],
    ["lone surrogates", '{"q":"\\ud800"}', { q: "\ud800" }]
  ] as const) {
    it.effect(`4.2 accepts ${what}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* calling(text)).args, args)
      })
    )
  }

  it.effect("4.2 empty arguments are an empty object", () =>
    Effect.gen(function* () {
      for (const text of ["", "  \n", "{}"]) {
        assert.deepStrictEqual((yield* calling(text, { parameters: Schema.Struct({}) })).args, {})
      }
    })
  )

  for (const [what, text] of [
    ["no quotes", "{q: 1}"],
    ["single quotes", "{'q': 'a'}"],
    ["a trailing comma", '{"q":"a",}'],
    ["prose", 'Sure! {"q":"a"}'],
    ["trailing text", '{"q":"a"} and more'],
    ["a comment", '{"q":"a"/* x */}'],
    ["a forbidden key", '{"q":"a","__proto__":{"admin":true}}'],
    ["a nested forbidden key", '{"q":"a","x":{"constructor":{"prototype":{}}}}']
  ] as const) {
    it.effect(`4.2 ${what} is invalid JSON, and the model reads the position`, () =>
      Effect.gen(function* () {
        const { error, runs } = yield* calling(text)
        assert.deepStrictEqual(
          [error.error_class, error.code, error.next_step, error.retryable, runs],
          ["tool_arg_error", "invalid_json", "fix_arguments", false, 0]
        )
        assert.match(error.message, /^The arguments cannot be read: .*(position \d+|is plain text)/)
      })
    )
  }

  for (const text of ["{", '{"q"', '{"q":', '{"q":"a', '{"q":"a"', '{"q":"a",', '{"q":"a\\', '"{\\"q\\":\\"a']) {
    it.effect(`4.2 ${text} is reported as truncated, never as a missing field`, () =>
      Effect.gen(function* () {
        const { error, runs } = yield* calling(text)
        assert.deepStrictEqual([error.code, runs], ["truncated_arguments", 0])
        assert.strictEqual(error.hint, "Your output was cut; send it in parts of at most 200 characters.")
      })
    )
  }

  it.effect("4.2 arguments of a reply that was cut at its length limit are refused, even if they look complete", () =>
    Effect.gen(function* () {
      const { error, runs } = yield* calling('{"q":"a"}', {}, { isCut: true })
      assert.deepStrictEqual([error.code, runs], ["truncated_arguments", 0])
    })
  )

  it.effect("4.2 the parts that the hint suggests are smaller than the truncated arguments", () =>
    Effect.gen(function* () {
      const { error } = yield* calling(`{"q":"${"x".repeat(9_994)}`)
      assert.strictEqual(error.hint, "Your output was cut; send it in parts of at most 5000 characters.")
      assert.strictEqual(error.message, "The arguments are cut off after 10000 characters.")
    })
  )

  it.effect("4.2 arguments beyond the limits of size and depth are refused", () =>
    Effect.gen(function* () {
      const large = yield* calling(`{"q":"${"x".repeat(1_100_000)}"}`)
      const deep = yield* calling(`{"q":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)
      assert.deepStrictEqual([large.error.code, large.error.error_class], ["arguments_too_large", "tool_arg_error"])
      assert.strictEqual(deep.error.error_class, "tool_arg_error")
    })
  )

  it.effect("4.2 about twenty kilobytes of junk yield an error of at most 600 characters", () =>
    Effect.gen(function* () {
      for (const junk of [
        "%".repeat(20_000),
        `{"q":${"junk ".repeat(4_000)}}`,
        JSON.stringify({ q: "a", ["k".repeat(20_000)]: 1 }),
        JSON.stringify({ q: Array.from({ length: 5_000 }, (_, n) => n) }),
        JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`junk_${n}`, "v".repeat(10)])))
      ]) {
        const { envelope, error } = yield* calling(junk)
        const { next, approval_url, ...counted } = error
        assert.isUndefined(next ?? approval_url)
        assert.isAtMost(JSON.stringify(counted).length, 600)
        assert.strictEqual(envelope.status, "error")
      }
    })
  )

  it.effect("4.2 an object that was encoded twice is decoded, and the record notes it", () => {
    const search = tool("search", {}, { n: 1 })
    return Effect.gen(function* () {
      yield* ask([search.tool], "search", JSON.stringify('{"q":"a"}'))
      const [record] = yield* (yield* CallLog).records
      assert.deepStrictEqual(record?.decisions, [
        { stage: "parse", decision: "decoded twice", reason: "a JSON string held the object" }
      ])
    }).pipe(within([search.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  for (const access of ["read", "write", "destructive"] as const) {
    it.effect(
      `4.2 a field that is given twice ${access === "read" ? "counts as its last value" : "is refused"}: ${access}`,
      () => {
        const fixture = tool("act", { access, approval: "auto" }, { n: 1 })
        return Effect.gen(function* () {
          const { envelope } = yield* ask([fixture.tool], "act", '{"q":"b","q":"a"}')
          if (access === "read") assert.deepStrictEqual(fixture.calls[0]?.args, { q: "a" })
          else assert.deepInclude(envelope.error, { code: "invalid_arguments", fields: ["q"] })
          assert.strictEqual(fixture.runs(), access === "read" ? 1 : 0)
        }).pipe(within([fixture.layer]))
      }
    )
  }

  it.effect("4.2 an object that was encoded three times is refused", () =>
    Effect.gen(function* () {
      const { error } = yield* calling(JSON.stringify(JSON.stringify('{"q":"a"}')))
      assert.strictEqual(error.error_class, "tool_arg_error")
    })
  )
})

describe("decodeArguments", () => {
  const parameters = Schema.Struct({
    file_path: Schema.String,
    limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))),
    status: Schema.optionalKey(Schema.Literals(["placed", "shipped", "delivered", "cancelled"])),
    page: Page
  })

  it.effect("4.4 all issues are reported together in one instruction", () =>
    Effect.gen(function* () {
      const { error } = yield* calling('{"limit":"ten","status":"shipping","file":1}', { parameters })
      assert.deepStrictEqual(
        [error.code, error.hint],
        ["invalid_arguments", "Correct the named fields and call again."]
      )
      assert.isTrue(error.message.startsWith("Please rewrite the input with valid arguments. Errors: "), error.message)
      for (const part of [
        "file_path: Required",
        "limit: expected",
        'got "shipping"; nearest: shipped',
        "file: unknown field"
      ]) {
        assert.include(error.message, part)
      }
      assert.deepStrictEqual([...error.fields].sort(), ["file", "file_path", "limit", "status"])
    })
  )

  it.effect("4.4 defaults are filled in, and reach the handler", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* calling('{"file_path":"a"}', { parameters })).args, { file_path: "a", page: 1 })
    })
  )

  it.effect("4.4 an excess property of an inner object is rejected with the nearest allowed name", () =>
    Effect.gen(function* () {
      const nested = Schema.Struct({ filter: Schema.Struct({ customer: Schema.String }) })
      const { error } = yield* calling('{"filter":{"customer":"a","custmer":"b"}}', { parameters: nested })
      assert.include(error.message, "filter.custmer: unknown field; nearest: customer")
    })
  )

  for (const text of ["[]", "null", "1", '"text"', "true"]) {
    it.effect(`4.4 ${text} is not an object of arguments`, () =>
      Effect.gen(function* () {
        const { error, runs } = yield* calling(text)
        assert.deepStrictEqual([error.code, runs], ["invalid_arguments", 0])
      })
    )
  }

  it.effect("4.4 a host's value is decoded like text", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* calling({ q: "a" })).args, { q: "a" })
      assert.strictEqual((yield* calling({ q: 1 })).error.code, "invalid_arguments")
      assert.strictEqual((yield* calling(JSON.parse('{"q":"a","__proto__":{"x":1}}'))).error.code, "invalid_arguments")
      assert.strictEqual((yield* calling(undefined)).error.code, "invalid_arguments")
    })
  )

  it.effect("4.4 the encoded arguments of a program are decoded", () => {
    const dated = tool(
      "search",
      { parameters: Schema.Struct({ at: Contract.serverOnly("a date")(Schema.Date) }) },
      { n: 1 }
    )
    return Effect.gen(function* () {
      yield* dated.tool.call({ at: "2026-01-02T03:04:05.000Z" })
      assert.deepStrictEqual(dated.calls[0]?.args, { at: new Date("2026-01-02T03:04:05.000Z") })
      const failure = yield* failureOf(dated.tool.call({ at: "no date" }))
      assert.deepStrictEqual([failure._tag, failure.fields], ["ToolArgError", ["at"]])
    }).pipe(within([dated.layer]))
  })

  it.effect("4.4 a schema that throws refuses the arguments, and the program continues", () => {
    const strange = tool(
      "search",
      {
        parameters: Schema.Struct({
          q: Schema.String.check(
            Schema.makeFilter(
              () => {
                throw new Error("boom")
              },
              { toJsonSchema: () => ({}) }
            )
          )
        })
      },
      { n: 1 }
    )
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* settled(strange.tool.call({ q: "a" })), [
        "ToolArgError",
        "invalid_arguments",
        "none"
      ])
    }).pipe(within([strange.layer]))
  })

  it.effect("2.2 advise records the violations and runs the call as sent", () => {
    const search = tool("search", { enforce: "advise" }, { n: 1 })
    return Effect.gen(function* () {
      const { envelope } = yield* ask([search.tool], "search", '{"q":7,"extra":true}')
      assert.deepStrictEqual(envelope, { status: "success", data: { n: 1 } })
      assert.deepStrictEqual(search.calls[0]?.args, { q: 7, extra: true })
      const [record] = yield* (yield* CallLog).records
      assert.deepStrictEqual(
        record?.decisions.map(({ decision, stage }) => [stage, decision]),
        [["decodeArguments", "advised"]]
      )
    }).pipe(within([search.layer], Guard.layerMemoryWith(CallLogMemory.layer)))
  })

  it.effect("2.2 advise: recall uses the arguments as sent", () => {
    const search = tool("search", { enforce: "advise" }, Effect.fail(new Error("it is broken")))
    return Effect.gen(function* () {
      for (const text of ['{"q":7,"extra":true}', '{"extra":true,"q":7}']) {
        const { envelope } = yield* ask([search.tool], "search", text)
        assert.strictEqual(envelope.error.code, "tool_failed")
      }
      assert.strictEqual(search.runs(), 1)
    }).pipe(within([search.layer]))
  })

  it.effect("4.7 the key is derived from the arguments after decoding and encoding", () =>
    Effect.gen(function* () {
      const stage = yield* alone(
        decodeArguments,
        define("search", { parameters: Schema.Struct({ q: Schema.String, page: Page }), success })
      )
      yield* stage.run({ input: { q: "a" } })
      yield* stage.run({ input: { page: 1, q: "a" } })
      yield* stage.run({ input: { page: 2, q: "a" } })
      assert.deepStrictEqual(
        stage.passed.map(({ key }) => key()),
        ['search {"page":1,"q":"a"}', 'search {"page":1,"q":"a"}', 'search {"page":2,"q":"a"}']
      )
    }).pipe(Effect.provide([RedactorMemory.layer, DigestMemory.layer]))
  )
})
