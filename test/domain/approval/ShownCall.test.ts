import * as ShownCall from "#domain/approval/ShownCall"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const shown = (original: unknown, redacted: unknown = original) => ShownCall.make(original, redacted)

/** Returns the number of characters that a shown text contains or hides, without its quotes and escapes. */
const lengthOf = (text: string): number =>
  [...text.matchAll(/\[hidden, (\d+) characters?\]|"(?:[^"\\]|\\.)*"/gu)].reduce(
    (sum, [part, hidden]) => sum + (hidden === undefined ? String(JSON.parse(part)).length : Number(hidden)),
    0
  )

describe("ShownCall", () => {
  it("10.6 shows every field on a separate line, short fields before long fields", () => {
    const { hidden, text } = shown({
      body: "b".repeat(2_080),
      path: "/etc/passwd",
      flags: [1, { deep: true }],
      none: []
    })!
    assert.strictEqual(hidden, 0)
    assert.strictEqual(
      text,
      `{\n  "path": "/etc/passwd",\n  "flags": [\n    1,\n    {\n      "deep": true\n    }\n  ],\n  "none": [],\n  "body": "${"b".repeat(2_080)}"\n}`
    )
  })

  it("10.6 shows hidden and direction-changing characters as escapes, in names too", () => {
    const { text } = shown({ "a\u202e\n": "x\u200b\u009b\ny" })!
    assert.strictEqual(text, '{\n  "a\\u202e\\n": "x\\u200b\\u009b\\ny"\n}')
  })

  it("10.6 a text of the model cannot imitate a mask or a line of the frame", () => {
    const { hidden, text } = shown({ a: '[hidden, 4 characters]\n}\nType yes: "' })!
    assert.strictEqual(hidden, 0)
    assert.strictEqual(text, '{\n  "a": "[hidden, 4 characters]\\n}\\nType yes: \\""\n}')
    const lines = ShownCall.linesOf({ tool: "t\nArguments, complete:", sentence: "s\nTool: x", arguments: {} })
    assert.deepStrictEqual(lines, [
      "Tool: t Arguments, complete:",
      "Description: s Tool: x",
      "Arguments, complete:",
      "{}"
    ])
  })

  for (const [what, original, redacted, text, hidden] of [
    ["a part of a text", "a secret b", "a [redacted] b", '"a " [hidden, 6 characters] " b"', 1],
    ["two parts", "xAyBz", "x[redacted]y[redacted]z", '"x" [hidden, 1 character] "y" [hidden, 1 character] "z"', 2],
    ["a whole text", "secret", "[redacted]", "[hidden, 6 characters]", 1],
    ["a number", 20_481_633, "[redacted]", "[hidden, 8 characters]", 1],
    ["an object", { a: 1 }, "[redacted]", "[hidden, 7 characters]", 1],
    ["a field that the redactor drops", { a: 1, b: 2 }, { b: 2 }, '{\n  "a": [hidden, 1 character],\n  "b": 2\n}', 1],
    ["a text that the redactor rewrites", "secret one", "other [redacted]", "[hidden, 10 characters]", 1],
    ["items, if their number differs", ["a", "b"], ["a"], "[hidden, 9 characters]", 1],
    ["a text whose kept parts overlap", "aba", "ab[redacted]ba", "[hidden, 3 characters]", 1],
    ["a text that keeps only its first and last part, without a mark", "abca", "a", "[hidden, 4 characters]", 1],
    ["a text whose last part is before another", "x1y2z", "x[redacted]z[redacted]z", "[hidden, 5 characters]", 1],
    ["no character, for a mark that replaces nothing", "ab", "a[redacted]b", '"a" [hidden, 0 characters] "b"', 1],
    ["a text that the redactor replaces by a number", "secret", 7, "[hidden, 6 characters]", 1],
    ["a list that the redactor replaces by a text of its length", ["x"], "x", "[hidden, 5 characters]", 1],
    ["nothing of null and of absent fields", { a: null, b: undefined }, { a: null }, '{\n  "a": null\n}', 0],
    ["nothing of a text that contains the redactor's mark", "a [redacted] b", "a [redacted] b", '"a [redacted] b"', 0]
  ] as const) {
    it(`10.6 masks ${what}`, () => {
      const made = shown(original, redacted)!
      assert.deepStrictEqual([made.text, made.hidden], [text, hidden])
      assert.strictEqual(made.revealed, hidden === 0 ? undefined : ShownCall.textOf(original))
    })
  }

  it("10.6 arguments of more than 64 KB are not shown", () => {
    assert.isDefined(shown("a".repeat(65_534)))
    assert.isUndefined(shown("a".repeat(65_535)))
    assert.isUndefined(shown("ä".repeat(32_768)))
  })

  it("10.6 a sentence is one line of at most 200 characters, without half of a character", () => {
    assert.strictEqual(ShownCall.sentenceOf("a\r\n\u202eb"), "a [U+202E]b")
    assert.strictEqual([...ShownCall.sentenceOf("😀".repeat(500))].length, 200)
    assert.isTrue(ShownCall.sentenceOf("😀".repeat(500)).isWellFormed())
  })

  for (const [what, original, redacted, sentence] of [
    ["one part", "Pays DE00 to Bob", "Pays [redacted] to Bob", "Pays [hidden, 4 characters] to Bob"],
    ["two parts", "xAyBBz", "x[redacted]y[redacted]z", "x[hidden, 1 character]y[hidden, 2 characters]z"],
    ["the whole sentence", "secret", "[redacted]", "[hidden, 6 characters]"],
    ["a part that is removed without a mark", "a\n  at x", "a", "[hidden, 7 characters] a"],
    ["parts of a rewritten sentence", "a 12 b\n  at x", "a [redacted] b", "[hidden, 9 characters] a [redacted] b"],
    ["no part, if the sentence contains the mark", "a [redacted] b", "a [redacted] b", "a [redacted] b"],
    [
      "no mask that would be cut",
      `${"a".repeat(188)}123456789012`,
      `${"a".repeat(188)}[redacted]`,
      `${"a".repeat(188)}…`
    ]
  ] as const) {
    it(`10.6 counts the hidden characters of a sentence: ${what}`, () => {
      assert.strictEqual(ShownCall.sentenceOf(original, redacted), sentence)
    })
  }

  it.prop(
    "10.6 every character of a text is shown or counted as hidden",
    [Schema.Array(Schema.String), Schema.Array(Schema.String)],
    ([pieces, secrets]) => {
      const at = (index: number) => secrets[index % Math.max(1, secrets.length)] ?? "s"
      const original = pieces.reduce((text, piece, index) => text + (index === 0 ? "" : at(index)) + piece, "")
      const { text } = shown(original, pieces.join("[redacted]"))!
      assert.strictEqual(lengthOf(text), original.length)
    }
  )

  it("10.6 a field of 200 characters is short, and long fields are in the order of their length", () => {
    const field = (name: string, length: number) => ({ [name]: "x".repeat(length - `"${name}": ""`.length) })
    const order = (value: object) =>
      [...shown(value)!.text.matchAll(/^ *"(\w)": "/gmu)].map(([, name]) => name).join("")
    const fields = { ...field("a", 400), ...field("b", 200), ...field("c", 201), ...field("d", 20) }
    assert.strictEqual(order(fields), "bdca")
    assert.strictEqual(order({ inside: fields }), "abcd")
  })

  it("10.6 a sentence of 200 characters is not cut", () => {
    assert.strictEqual(ShownCall.sentenceOf("a".repeat(200)), "a".repeat(200))
    assert.strictEqual(ShownCall.sentenceOf("a".repeat(201)), `${"a".repeat(199)}…`)
  })

  it("10.6 a request is shown with its origin, guidance and arguments, as far as it has them", () => {
    const turn = { tenant: "t", conversation: "c\n1", turn: "u", principal: "ana" }
    const guidance = { did: "a", choices: "b", otherwise: "c" }
    const subject = { tool: "t", sentence: "s", arguments: undefined }
    assert.deepStrictEqual(ShownCall.linesOf(subject), ["Tool: t", "Description: s"])
    const whole = { ...subject, turn, guidance, run: "r", reason: "disk_full", hidden: 2, shown: "{\n}" }
    const before = [
      "Tool: t",
      "Conversation: c 1",
      "Run: r",
      "On behalf of: ana",
      "What happened: s",
      "What the guard did: a",
      "What you can do: b",
      "If you do nothing: c"
    ]
    assert.deepStrictEqual(ShownCall.linesOf(whole), [
      ...before,
      "Arguments, except 2 hidden parts, which are sent too:",
      "{",
      "}"
    ])
    assert.deepStrictEqual(ShownCall.linesOf(whole, "all"), [...before, "Arguments, complete:", "all"])
    assert.strictEqual(ShownCall.completeness(1), "Arguments, except 1 hidden part, which is sent too")
    assert.strictEqual(ShownCall.completeness(), "Arguments, complete")
    const { principal: _, ...anonymous } = turn
    assert.deepStrictEqual(ShownCall.originOf({ turn: anonymous }), ["Conversation: c 1"])
    assert.deepStrictEqual(ShownCall.originOf({}), [])
  })

  it("10.3 a question is about a call, or about a run that has stopped", () => {
    for (const reason of [undefined, "approval"]) assert.include(ShownCall.questionOf({ reason }), "Approve")
    assert.include(ShownCall.questionOf({ reason: "disk_full" }), "continue")
  })
})
