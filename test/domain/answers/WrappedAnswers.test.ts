import { assert, describe, it } from "@effect/vitest"
import { answersIn } from "#domain/answers/WrappedAnswers"

/** Copies a value so that its objects have the usual prototype, which objects read from a text lack. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("answersIn", () => {
  it("3.4 returns the result, then the answers that it wraps, outermost first", () => {
    assert.deepStrictEqual(answersIn({ error: "", response: { data: "three orders" } }), [
      { error: "", response: { data: "three orders" } },
      { data: "three orders" },
      "three orders"
    ])
  })

  it("3.4 unwraps JSON and Python reprs in text", () => {
    for (const text of [`{"message": "gone", "next": null}`, `{'message': "gone", 'next': None}`]) {
      assert.deepStrictEqual(plain(answersIn(text)), [{ message: "gone", next: null }])
    }
    assert.deepStrictEqual(answersIn(`"<html>"`), ["<html>"])
  })

  it("3.4 reads the parts of an MCP result, as JSON or as the repr of a Python client", () => {
    const part = { type: "text", text: "three orders" }
    assert.deepStrictEqual(answersIn({ content: [part, { type: "image" }], isError: false }), [
      { content: [part, { type: "image" }], isError: false },
      "three orders"
    ])
    assert.deepStrictEqual(
      plain(answersIn("meta=None content=[TextContent(type='text', text='three orders')] isError=False")),
      [{ meta: null, content: [part], isError: false }, "three orders"]
    )
  })

  it("3.4 leaves text that is not one complete value unchanged", () => {
    for (const text of ["[INFO] started", "three orders", "", `{"a": 1} and more`, "meta=1 isError=True or not"]) {
      assert.deepStrictEqual(answersIn(text), [text])
    }
  })

  it("3.4 does not unwrap lists, and returns no numbers", () => {
    assert.deepStrictEqual(answersIn({ data: [{ text: "a" }], result: 7 }), [{ data: [{ text: "a" }], result: 7 }])
    assert.deepStrictEqual(answersIn([{ id: "a" }]), [[{ id: "a" }]])
    assert.deepStrictEqual(answersIn(7), [])
  })

  it("3.4 unwraps at most twelve levels, and parses no text of more than 100,000 characters", () => {
    const nested = (levels: number): unknown => (levels === 0 ? "core" : { data: nested(levels - 1) })
    assert.strictEqual(answersIn(nested(12)).length, 13)
    assert.strictEqual(answersIn(nested(13)).length, 13)
    const long = JSON.stringify(["x".repeat(100_000)])
    assert.deepStrictEqual(answersIn(long), [long])
  })
})
