/** Tests the prefilter of phrases: every match of an expression contains one of its literals. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { limits } from "#domain/classification/phrases/Limit"
import { transientFaults } from "#domain/classification/phrases/Transient"
import { firstOf, phrase } from "#domain/classification/phrases/Phrase"
import { literalsOf } from "#domain/classification/phrases/Prefilter"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Returns a function that draws numbers below `n` from a fixed pseudo-random sequence. */
const numbers = (seed: number) => {
  let state = seed
  return (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % n
  }
}

const plain = ["a", "b", "ab", "ba", "abab", "A"]
const others = [".", "[ab]", "[^a\\]]", "\\w", "\\W", "\\b", "^", "$", "\\n", "\\.", "\\u0061", "é"]
const opening = ["(?:", "(", "(?=", "(?!", "(?<=", "(?<!"]
const quantifiers = ["", "", "", "", "?", "*", "+", "{0,2}", "{2}", "{1,3}?", "+?"]

const expressionOf = (below: (n: number) => number, depth: number): string =>
  Array.from({ length: 1 + below(2) }, () =>
    Array.from({ length: 1 + below(4) }, () => {
      const kind = below(6)
      const quantifier = quantifiers[below(quantifiers.length)] ?? ""
      if (kind < 3) return `${plain[below(plain.length)]}${quantifier}`
      const other = others[below(others.length)] ?? ""
      if (kind < 5 || depth === 0) return /^(?:\\b|[\^$])$/.test(other) ? other : `${other}${quantifier}`
      const open = opening[below(depth === 2 ? opening.length : 2)] ?? ""
      return `${open}${expressionOf(below, depth - 1)})${/^\((?:\?:)?$/.test(open) ? quantifier : ""}`
    }).join("")
  ).join("|")

describe("required literals", () => {
  it("3.1 finds the longest literals such that every match contains at least one", () => {
    assert.deepStrictEqual(literalsOf(/\bspawn(?:sync)? [^\n]{1,200} enoent\b/), [" enoent"])
    assert.deepStrictEqual(literalsOf(/\bno (?:such|known) tool\b|^fatal: /m), [" tool", "fatal: "])
    assert.deepStrictEqual(literalsOf(/(?<name>deadlock)d?x/), ["deadlock"])
    assert.deepStrictEqual(literalsOf(/a\.lock'(?! b): File/), ["a.lock':"])
    assert.deepStrictEqual(literalsOf(/x(?:deadlock|dead ?line)+y/), ["deadlock", "dead"])
  })

  it("3.1 finds no literal in optional parts, character classes, short parts and other alphabets", () => {
    for (const form of [/(?:abcd)?/, /(?:abcd){0,3}x/, /[abcd]{4}/, /ab.cd/, /abcd|x/, /限流限流/, /(?!abcd)./]) {
      assert.isUndefined(literalsOf(form), form.source)
    }
  })

  it("3.1 every text that an expression matches contains one of its literals", () => {
    const below = numbers(7)
    let matched = 0
    for (let i = 0; i < 4_000; i++) {
      const form = new RegExp(expressionOf(below, 2), "m")
      const literals = literalsOf(form)
      for (let j = 0; literals !== undefined && j < 20; j++) {
        const text = Array.from({ length: below(14) }, () => ["a", "b", "ab", "A", ".", "\n"][below(6)]).join("")
        if (!form.test(text)) continue
        matched += 1
        const held = literals.some((literal) => text.toLowerCase().includes(literal))
        assert.isTrue(
          held,
          `${form.source} matches ${JSON.stringify(text)}, which contains none of ${literals.join(", ")}`
        )
      }
    }
    assert.isAbove(matched, 500)
  })

  it("3.1 finds the same row for labelled messages as a search that tries every row", () => {
    const messages = readFileSync(resolve("test/vectors/errors-own.jsonl"), "utf8").toLowerCase().split("\n")
    for (const rows of [limits, transientFaults]) {
      for (const message of messages) {
        const tried = rows.find(({ forms }) => forms.some((form) => form.test(message)))
        assert.strictEqual(firstOf(rows, message)?.name, tried?.name, message)
      }
    }
  })

  it("3.1 finds a row that was added after an earlier search", () => {
    const first = phrase("test:first", diagnose("refused"), [/\bzebra\b/])
    assert.isUndefined(firstOf([first], "the okapi"))
    const second = phrase("test:second", diagnose("refused"), [/\bokapi\b/])
    assert.strictEqual(firstOf([first, second], "the okapi"), second)
  })
})
