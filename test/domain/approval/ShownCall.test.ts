import * as ShownCall from "#domain/approval/ShownCall"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const shown = (original: unknown, redacted: unknown = original) => ShownCall.make(original, redacted)

/** Removes the quotes, escapes and masks of a text that is shown, and returns its characters and the hidden ones. */
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
    ["a text that says itself that it is redacted", "a [redacted] b", "a [redacted] b", '"a [redacted] b"', 0]
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
      "no part with half of its number",
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
})
