/** What a text must hold so that a row can match: read from the row's own expression, and never more than is true. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { limits } from "#domain/classification/phrases/Limit"
import { passing } from "#domain/classification/phrases/Passing"
import { firstOf, phrase } from "#domain/classification/phrases/Phrase"
import { piecesOf } from "#domain/classification/phrases/Pieces"
import { none } from "#domain/classification/codes/Diagnosis"

/** A number below `n`, from a row of numbers that is always the same. */
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

describe("pieces of expressions", () => {
  it("3.1 finds the most telling piece that each match holds", () => {
    assert.deepStrictEqual(piecesOf(/\bspawn(?:sync)? [^\n]{1,200} enoent\b/), [" enoent"])
    assert.deepStrictEqual(piecesOf(/\bno (?:such|known) tool\b|^fatal: /m), [" tool", "fatal: "])
    assert.deepStrictEqual(piecesOf(/(?<name>deadlock)d?x/), ["deadlock"])
    assert.deepStrictEqual(piecesOf(/a\.lock'(?! b): File/), ["a.lock':"])
    assert.deepStrictEqual(piecesOf(/x(?:deadlock|dead ?line)+y/), ["deadlock", "dead"])
  })

  it("3.1 has no piece of what is optional, of classes and of other alphabets", () => {
    for (const form of [/(?:abcd)?/, /(?:abcd){0,3}x/, /[abcd]{4}/, /ab.cd/, /abcd|x/, /限流限流/, /(?!abcd)./]) {
      assert.isUndefined(piecesOf(form), form.source)
    }
  })

  it("3.1 passes no text by that an expression matches", () => {
    const below = numbers(7)
    let matched = 0
    for (let i = 0; i < 4_000; i++) {
      const form = new RegExp(expressionOf(below, 2), "m")
      const pieces = piecesOf(form)
      for (let j = 0; pieces !== undefined && j < 20; j++) {
        const text = Array.from({ length: below(14) }, () => ["a", "b", "ab", "A", ".", "\n"][below(6)]).join("")
        if (!form.test(text)) continue
        matched += 1
        const held = pieces.some((piece) => text.toLowerCase().includes(piece))
        assert.isTrue(held, `${form.source} matches ${JSON.stringify(text)}, which holds none of ${pieces.join(", ")}`)
      }
    }
    assert.isAbove(matched, 500)
  })

  it("3.1 asks the rows of recorded messages as if each were tried", () => {
    const messages = readFileSync(resolve("test/vectors/errors-own.jsonl"), "utf8").toLowerCase().split("\n")
    for (const rows of [limits, passing]) {
      for (const message of messages) {
        const tried = rows.find(({ forms }) => forms.some((form) => form.test(message)))
        assert.strictEqual(firstOf(rows, message)?.name, tried?.name, message)
      }
    }
  })

  it("3.1 asks a row that was made after others were asked", () => {
    const first = phrase("test:first", none("refused"), [/\bzebra\b/])
    assert.isUndefined(firstOf([first], "the okapi"))
    const second = phrase("test:second", none("refused"), [/\bokapi\b/])
    assert.strictEqual(firstOf([first, second], "the okapi"), second)
  })
})
