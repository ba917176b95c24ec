/** Tests the parser of objects as Node prints them, with what this Node prints. */
import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import { Schema } from "effect"
import * as InspectText from "#kit/traffic/InspectText"

const printed = (value: unknown): string => inspect(value, { depth: 20 })

describe("objects as Node prints them", () => {
  it.prop("13.1 are parsed to the same values", [Schema.Record(Schema.String, Schema.Json)], ([value]) => {
    const text = printed(JSON.parse(JSON.stringify(value)))
    const read = InspectText.parse(text)
    if (read === undefined) return assert.fail(text)
    // a long text, a long list and a deep object are abbreviated
    if (read.cutCount === 0) assert.strictEqual(printed(read.value), text)
  })

  it("13.1 are parsed with quotes, escapes, line ends, classes and missing values", () => {
    const value = {
      quotes: [`it's`, `it's "so"`, 'it\'s "so" `now`'],
      escapes: "a\\b\tc\u0007d\u001b[31m",
      lines: `${"first line ".repeat(9)}\nsecond line\n`,
      missing: undefined,
      "gen_ai.usage": -1.5e-7,
      empty: [{}, []]
    }
    assert.deepStrictEqual(InspectText.parse(printed(value)), { value, cutCount: 0 })
    assert.deepStrictEqual(InspectText.parse("Resource {\n  a: <ref *1> Span { b: [Circular *1] },\n  c: 10n\n}"), {
      value: { a: { b: undefined }, c: 10 },
      cutCount: 1
    })
  })

  it("13.1 are parsed up to what Node left out", () => {
    const value = {
      text: "x".repeat(10_001),
      json: `[${"1,".repeat(5_001)}1]`,
      list: Array(102).fill(7),
      deep: { a: { b: { c: { d: 1 } } } }
    }
    assert.deepStrictEqual(InspectText.parse(inspect(value, { depth: 3 })), {
      value: {
        text: "x".repeat(10_000),
        json: undefined,
        list: Array(100).fill(7),
        deep: { a: { b: { c: undefined } } }
      },
      cutCount: 4
    })
  })

  it("13.1 are distinguished from other texts, and may be long", () => {
    for (const text of [
      "",
      "{",
      "{ a }",
      "{ a: 1 } b",
      "{ a: 'b }",
      "[ 1",
      "{ a: 'x' + }",
      `${"{ a: ".repeat(50_000)}1`
    ]) {
      assert.isUndefined(InspectText.parse(text), text.slice(0, 20))
    }
    const long = "x\\'".repeat(3_000_000)
    assert.deepStrictEqual(InspectText.parse(`{ a: '${long}' }`)?.value, { a: "x'".repeat(3_000_000) })
  })
})
