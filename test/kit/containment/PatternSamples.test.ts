/** Tests the strings that are generated for patterns, and their lengths. */
import { assert, describe, it } from "@effect/vitest"
import { lengths, texts } from "#kit/containment/PatternSamples"

describe("PatternSamples", () => {
  it("13.4 makes strings that match", () => {
    for (const pattern of [
      "^C-\\d{4}$",
      "^(?:a|b)+c?$",
      "^https?://\\S+$",
      "^[^@\\s]+@[^@\\s]+$",
      "^[\\w.-]{1,64}$",
      "^\\p{L}+$",
      "^(?<year>\\d{4})-\\d\\d$",
      "^\\u0041\\x42\\$$",
      "[0-9]",
      "^$"
    ]) {
      const made = texts(pattern)
      assert.isAbove(made.length, 0, pattern)
      assert.isTrue(
        made.every((text) => new RegExp(pattern, "u").test(text)),
        pattern
      )
    }
    assert.deepStrictEqual(texts("^C-\\d{4}$"), ["C-0000", "C-7777"])
  })

  it("13.4 makes no strings for an unsupported pattern", () => {
    for (const pattern of ["^(?=x)y$", "(a)\\1", "^(?<!a)b", "(", "[", "^\\p{Script=Greek}$"]) {
      assert.deepStrictEqual(texts(pattern), [], pattern)
    }
  })

  it("13.4 finds the minimum and maximum length of matching strings", () => {
    assert.deepStrictEqual(lengths("^[A-Z]{3}-?\\d{2,4}$"), { least: 5, most: 8 })
    assert.deepStrictEqual(lengths("^(?:ab|c)$"), { least: 1, most: 2 })
    assert.deepStrictEqual(lengths("^a*$"), { least: 0, most: Infinity })
    assert.deepStrictEqual(lengths("a{2}"), { least: 2, most: Infinity })
    assert.deepStrictEqual(lengths("^a|b$"), { least: 1, most: Infinity })
    assert.deepStrictEqual(lengths("^(?=x)y$"), { least: 0, most: Infinity })
  })
})
