/** Tests that a definition which leads back to itself for the same value is checked without its circle, and reported. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as ForeignSchema from "#domain/schema/foreign/ForeignSchema"

const to = (name: string) => ({ $ref: `#/$defs/${name}` })
const text = { type: "string" }

/** Compiles a schema whose field `a` has the first definition, and whose field `b` is a text. */
const compiled = ($defs: Record<string, unknown>) =>
  ForeignSchema.compile({
    type: "object",
    properties: { a: to(Object.keys($defs)[0] ?? ""), b: text },
    required: ["a", "b"],
    $defs
  })

describe("CircularAliases", () => {
  it.each([
    ["one definition", { A: to("A") }, "/$defs/A/$ref"],
    ["two definitions", { A: to("B"), B: to("A") }, "/$defs/B/$ref"],
    ["definitions to which another leads", { A: to("B"), B: to("C"), C: to("B") }, "/$defs/C/$ref"],
    ["the alternative of a condition", { A: { if: text, else: to("A") } }, "/$defs/A/else/$ref"],
    ["a member of anyOf", { A: { anyOf: [text, to("A")] } }, "/$defs/A/anyOf/1/$ref"],
    ["a member of oneOf", { A: { oneOf: [to("A"), text] } }, "/$defs/A/oneOf"],
    ["a negation", { A: { not: { anyOf: [to("A")] } } }, "/$defs/A/not"],
    ["a condition", { A: { if: to("A"), else: { type: "number" } } }, "/$defs/A/if"],
    ["a member of allOf", { A: { allOf: [{ allOf: [to("A")] }] } }, "/$defs/A/allOf/0/allOf/0/$ref"],
    ["a name that a pointer escapes", { "a/b~": { anyOf: [to("a~1b~0")] } }, "/$defs/a~1b~0/anyOf/0/$ref"]
  ])("13.7 a circle through %s is removed and named, and all other rules hold", (_, definitions, pointer) => {
    const { schema, unchecked } = compiled(definitions)
    assert.deepStrictEqual(
      unchecked.flatMap((each) => (/^Definition ".*" is a circular alias\.$/.test(each.reason) ? [each.pointer] : [])),
      [pointer]
    )
    const decode = Schema.decodeUnknownResult(schema)
    assert.isTrue(Result.isSuccess(decode({ a: "text", b: "text" })))
    assert.isTrue(Result.isFailure(decode({ a: "text", b: 5 })))
  })

  it("13.7 a circle of the whole schema accepts any value", () => {
    for (const source of [
      { $ref: "#" },
      { anyOf: [{ $ref: "#" }, { $ref: "#" }] },
      { ...to("A"), $defs: { A: to("A") } }
    ]) {
      const { schema, unchecked } = ForeignSchema.compile(source)
      assert.isAbove(unchecked.length, 0)
      for (const value of [{ any: ["value"] }, [], "text", 7, true, null])
        assert.isTrue(Result.isSuccess(Schema.decodeUnknownResult(schema)(value)), JSON.stringify(value))
    }
  })

  it("13.7 a circle of 20,000 definitions is found", () => {
    const names = Array.from({ length: 20_000 }, (_, n) => `D${n}`)
    const definitions = Object.fromEntries(names.map((name, n) => [name, to(names[(n + 1) % names.length] ?? "")]))
    assert.isTrue(compiled(definitions).unchecked.length > 0)
  })

  it.each([
    ["a list of itself", { A: { type: "array", items: to("A") } }, [[], [[]]], [5]],
    ["a field of itself", { A: { type: "object", properties: { a: to("A") } } }, { a: { a: {} } }, { a: 5 }],
    ["two aliases of one definition", { A: { anyOf: [to("B"), to("C")] }, B: to("D"), C: to("D"), D: text }, "x", 5]
  ])("13.7 %s is not a circle", (_, definitions, good, bad) => {
    const { schema, unchecked } = compiled(definitions)
    assert.deepStrictEqual(unchecked, [])
    const decode = Schema.decodeUnknownResult(schema)
    assert.isTrue(Result.isSuccess(decode({ a: good, b: "text" })))
    assert.isTrue(Result.isFailure(decode({ a: bad, b: "text" })))
  })
})
