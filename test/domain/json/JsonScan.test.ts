import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import * as JsonScan from "#domain/json/JsonScan"
import * as Steps from "#domain/json/Steps"

const scan = (...input: Parameters<typeof JsonScan.scan>) => Steps.whole(JsonScan.scan(...input))
const accepts = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const complete = (text: string) => scan(text, 1000).end === "Complete"

const Mutation = Schema.Struct({
  json: Schema.Json,
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
  remove: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
  insert: Schema.Literals([
    "",
    ",",
    "]",
    "}",
    "{",
    "[",
    ":",
    '"',
    "\\",
    "\\u12",
    "-",
    "0",
    "1.",
    "e+",
    "nul",
    "\n",
    "\u0000",
    " "
  ])
})

describe("JsonScan", () => {
  it.effect("4.2 accepts, among whole and damaged texts, exactly those that JSON.parse accepts", () =>
    Effect.gen(function* () {
      const result = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Mutation),
        ({ json, at, remove, insert }) => {
          const text = JSON.stringify(json, null, at % 2)
          const i = text.length === 0 ? 0 : at % text.length
          const damaged = text.slice(0, i) + insert + text.slice(i + remove)
          assert.isTrue(complete(text), text)
          assert.strictEqual(complete(damaged), accepts(damaged), JSON.stringify(damaged))
          return true
        },
        { seed: 42, runs: 2000 }
      )
      assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
    })
  )

  it("4.9 reports every prefix of a document as truncated, with the last complete field", () => {
    const text = ` {"a":[1.5e-3,{"b":"x\\u00e9\\n","c":[]},{}],"d":{"e":true,"f":null},"g":"\\"" } `
    assert.isTrue(accepts(text))
    const seen: Array<string> = []
    for (let i = 2; i < text.length - 1; i++) {
      const found = scan(text.slice(0, i), 10)
      assert.strictEqual(found.end, "Truncated", text.slice(0, i))
      assert.strictEqual(found.position, i)
      const last = JSON.stringify(found.last)
      if (last !== seen.at(-1)) seen.push(last)
    }
    assert.deepStrictEqual(
      seen.map((path): unknown => JSON.parse(path)),
      [["a", 0], ["a", 1, "b"], ["a", 1, "c"], ["a", 2], ["d", "e"], ["d", "f"], ["g"]]
    )
  })

  it("4.9 a mark of truncation after a whole value is more text, and a scalar root has an empty path", () => {
    for (const text of [`{"a":1}...`, `1 ...`, `"a" [truncated]`])
      assert.strictEqual(scan(text, 10).end, "Invalid", text)
    assert.deepStrictEqual(scan("12 x", 10).last, [])
    assert.isUndefined(scan("x", 10).last)
    assert.isUndefined(scan("[[", 10).last)
    assert.deepStrictEqual(scan("[[],", 10).last, [0])
  })
})
