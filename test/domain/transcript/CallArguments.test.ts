/** Tests reading the arguments of calls from texts and values, and writing them back. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CallArguments from "#domain/transcript/CallArguments"

const deep = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels)

describe("CallArguments", () => {
  it("9.2 reads a JSON object, and keeps its text only if serialising would differ", () => {
    assert.deepStrictEqual(CallArguments.read('{"a":[1]}'), { params: { a: [1] }, options: {} })
    assert.deepStrictEqual(CallArguments.read('{ "a": 1.0 }'), {
      params: { a: 1 },
      options: { openai: { arguments: '{ "a": 1.0 }' } }
    })
  })

  it("9.2 reads blank text as no arguments", () => {
    assert.deepStrictEqual(CallArguments.read(""), { params: {}, options: { openai: { arguments: "" } } })
    assert.deepStrictEqual(CallArguments.read("{}"), { params: {}, options: {} })
  })

  it("4.2 leaves texts that are not valid arguments to the guard, such as truncated JSON or a list", () => {
    const texts = ['{"a":', "[1]", '"{\\"a\\":1}"', "null", "NaN", deep(65), '{"a":{"__proto__":{"x":1}}}', "{'a':1}"]
    for (const text of texts) assert.deepStrictEqual(CallArguments.read(text), { params: text, options: {} })
    assert.deepStrictEqual(CallArguments.read(deep(64)).params, JSON.parse(deep(64)))
  })

  it("4.2 leaves texts above the size limit or with a repeated field to the guard", () => {
    const sized = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`
    assert.isObject(CallArguments.read(sized(1_000_000)).params)
    for (const text of [sized(1_000_001), '{"a":1,"a":2}', '{"a":[{"b":1,"b":1}]}']) {
      assert.deepStrictEqual(CallArguments.read(text), { params: text, options: {} })
    }
  })

  it.prop("9.2 writes back every text byte for byte", [Schema.String], ([text]) => {
    assert.strictEqual(CallArguments.write(CallArguments.read(text)), text)
    const object = JSON.stringify({ [text]: text }, undefined, 1)
    assert.strictEqual(CallArguments.write(CallArguments.read(object)), object)
  })

  it("9.2 ignores the kept text after the arguments were replaced", () => {
    const { options } = CallArguments.read('{ "secret": 1 }')
    assert.strictEqual(CallArguments.write({ params: { secret: "[removed]" }, options }), '{"secret":"[removed]"}')
  })

  it("9.4 writes one JSON object, whatever the model wrote, because servers reject other arguments", () => {
    const write = (text: string) => CallArguments.writeObject(CallArguments.read(text))
    assert.strictEqual(write('{ "a": 1 }'), '{ "a": 1 }')
    assert.strictEqual(write(""), "{}")
    assert.strictEqual(write('{"a":'), '{"malformed_arguments":"{\\"a\\":"}')
    assert.strictEqual(write("[1]"), '{"malformed_arguments":"[1]"}')
    assert.strictEqual(write('{"a":1,"a":2}'), '{"a":1,"a":2}')
    assert.strictEqual(CallArguments.writeObject({ params: 7, options: {} }), '{"malformed_arguments":"7"}')
  })

  it("4.2 leaves a text that starts with a byte order mark to the guard", () => {
    assert.deepStrictEqual(CallArguments.read('\ufeff{"a":1}'), { params: '\ufeff{"a":1}', options: {} })
  })

  it("9.2 ignores options that contain no text of the arguments", () => {
    for (const options of [
      {},
      { openai: 3 },
      { openai: {} },
      { openai: { arguments: 3 } },
      { other: { arguments: "{}" } }
    ]) {
      assert.isUndefined(CallArguments.keptText({ params: {}, options }))
      assert.strictEqual(CallArguments.write({ params: {}, options }), "{}")
    }
    assert.strictEqual(CallArguments.keptText({ params: {}, options: { openai: { arguments: " " } } }), " ")
  })

  it("9.2 reads arguments that are a value, and restores malformed text", () => {
    assert.deepStrictEqual(
      [undefined, null, [1], 7, { a: 1 }, '{"a":1}', "{"].map((value) => CallArguments.fromObject(value)),
      [{}, null, [1], 7, { a: 1 }, { a: 1 }, "{"]
    )
    assert.strictEqual(CallArguments.fromObject({ malformed_arguments: "{" }), "{")
    for (const value of [
      { malformed_arguments: '{"a":1}' },
      { malformed_arguments: "{", b: 1 },
      { malformed_arguments: 3 },
      { malformed: "{" }
    ]) {
      assert.strictEqual(CallArguments.fromObject(value), value)
    }
    assert.deepStrictEqual(CallArguments.toObject({ params: "{", options: {} }), { malformed_arguments: "{" })
    assert.strictEqual(CallArguments.writeObject({ params: " \n", options: {} }), "{}")
  })

  it("9.1 converts values to text, even those that JSON cannot represent", () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    assert.deepStrictEqual(["as is", { a: 1 }, null, undefined, 12n, cyclic].map(CallArguments.textOf), [
      "as is",
      '{"a":1}',
      "null",
      "null",
      "12",
      "…"
    ])
  })
})
