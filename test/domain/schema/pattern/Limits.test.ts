/** Tests which foreign patterns are refused, and how much work the others may do. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as RE2JS from "re2js"
import * as Allowance from "#domain/schema/pattern/Allowance"
import * as ForeignPattern from "#domain/schema/pattern/ForeignPattern"
import * as LinearEngine from "#domain/schema/pattern/LinearEngine"
import { translate } from "#domain/schema/pattern/Translation"

const made = (pattern: string, allowance?: Allowance.Allowance) =>
  Result.getOrThrow(ForeignPattern.make(pattern, allowance))

const refusal = (pattern: string) =>
  Result.match(ForeignPattern.make(pattern), { onSuccess: () => undefined, onFailure: (reason) => reason })

/** Returns the number of instructions of a compiled pattern. */
const instructions = (pattern: string): number => {
  // The types of the package do not declare the compiled program.
  const compiled = RE2JS.RE2JS.compile(pattern) as unknown as { re2Input: { prog: { inst: ReadonlyArray<unknown> } } }
  return compiled.re2Input.prog.inst.length
}

/** Patterns and their sizes. */
const sizes: ReadonlyArray<readonly [pattern: string, size: number]> = [
  ["", 3],
  ["a", 4],
  ["ab", 5],
  ["😀", 4],
  [".", 4],
  ["[]", 4],
  ["[a-z0-9]", 4],
  [String.raw`\d\n`, 5],
  [String.raw`\ba\B`, 6],
  [String.raw`\p{L}x`, 5],
  ["a*", 6],
  ["a+", 7],
  ["a?", 6],
  ["a??", 6],
  ["a*?", 6],
  ["a+?", 7],
  ["a{0}", 4],
  ["a{3}", 7],
  ["a{2,}", 8],
  ["a{2,5}", 12],
  ["a{0,3}", 10],
  ["ab{3}c", 9],
  ["(?:ab){3}", 10],
  ["(?:ab){3}c", 11],
  ["c(?<n>ab){3}", 11],
  ["(a|b)c", 7],
  ["a|b|cd", 9],
  ["^[a-z]+$", 9],
  ["(?:ab|cd)*e", 11],
  ["(a*)*", 8],
  ["((a{2}b){3}c){4}", 60],
  ["(?:a{10}|b){10}", 134]
]

describe("ForeignPattern", () => {
  it("13.1 a text is compared if its characters times the size of the pattern are at most a million", () => {
    for (const [pattern, size] of sizes) {
      const { longest, test } = made(pattern)
      assert.strictEqual(longest, Math.floor(1_000_000 / size), pattern)
      assert.isBoolean(test("-".repeat(longest)), pattern)
      assert.isUndefined(test("-".repeat(longest + 1)), pattern)
    }
  })

  it("13.1 the size of a pattern is at least the number of its instructions", () => {
    for (const [pattern, size] of sizes)
      assert.isAtMost(instructions(Result.getOrThrow(translate(pattern)).text), size, pattern)
  })

  it("13.1 a pattern with more than 10,000 characters, 1,000 repetitions or a size of 4,000 is refused", () => {
    const tooLarge = "the pattern repeats too much to run in linear time"
    for (const [largest, larger] of [
      ["a{1000}", "a{1001}"],
      ["a{1000,}", "a{1001,}"],
      ["a{0,1000}", "a{0,1001}"],
      ["(?:a{10}){100}", "(?:a{10}){101}"],
      ["(?:a{10}b{2}){100}", "(?:a{10}b{2}){101}"],
      ["(?:b{2}a{10}){100}", "(?:b{2}a{10}){101}"],
      ["(?:(?:a{10}b){10}c){10}", "(?:(?:a{10}b){10}c){11}"],
      ["(?:a{10}){100}(?:b{10}){100}", "(?:a{10}){100}(?:b{10}){101}"],
      ["(?:a{500}){2}", "(?:a{501}){2}"],
      ["a".repeat(4_000), "a".repeat(4_001)],
      ["a{999}".repeat(4), "a{999}".repeat(5)],
      [`(?:${"a".repeat(1_000)}){3}`, `(?:${"a".repeat(1_000)}){4}`],
      ["(?:a*)+".repeat(100), "(?:a{9}){99}".repeat(5)]
    ] as const) {
      assert.isUndefined(refusal(largest), largest.slice(0, 40))
      assert.strictEqual(refusal(larger), tooLarge, larger.slice(0, 40))
    }
    // groups do not add to the size
    assert.isUndefined(refusal(`${"(".repeat(4_999)}a${")".repeat(4_999)}`))
    assert.isUndefined(refusal(`${"(".repeat(4_998)}${"a".repeat(4)}${")".repeat(4_998)}`))
    assert.strictEqual(
      refusal(`${"(".repeat(5_000)}a${")".repeat(5_000)}`),
      "the pattern is longer than 10000 characters"
    )
  })

  it("13.1 a pattern with more than 40 Unicode properties is refused", () => {
    const reason = "the pattern has more than 40 Unicode properties"
    for (const property of [String.raw`\p{L}`, String.raw`[\P{Lu}]`, String.raw`\p{ASCII}`]) {
      assert.isUndefined(refusal(property.repeat(40)))
      assert.strictEqual(refusal(property.repeat(41)), reason)
    }
  })

  it("13.1 Unicode properties have the meaning of RegExp under each of their names, or are refused by name", () => {
    const texts = [..."aZ5_- \n\u0000éΩЖǅªʰ漢ก٣Ⅷ½–([«»)§+$^©\u0301\u0903\u20dd\u2028\u2029\u200b\ue000😀"]
    for (const property of [
      "L,Letter,gc=L,gc=Letter,General_Category=Letter,General_Category=L",
      "Lu,Uppercase_Letter,gc=Lu,gc=Uppercase_Letter,General_Category=Uppercase_Letter",
      "Nd,Decimal_Number,digit,gc=digit",
      "P,Punctuation,punct,gc=punct",
      "Cc,Control,cntrl,gc=cntrl",
      "Alphabetic,Alpha",
      "Uppercase,Upper",
      "Lowercase,Lower",
      "White_Space,space",
      "sc=Greek,Script=Greek",
      "sc=Thai,Script=Thai",
      "sc=Han,Script=Han"
    ].flatMap((names) => names.split(",")))
      for (const pattern of [`\\p{${property}}`, `\\P{${property}}`, `[\\p{${property}}x]`]) {
        const native = new RegExp(pattern, "u")
        const { test } = made(pattern)
        for (const text of texts)
          assert.strictEqual(test(text), native.test(text), `${pattern} ${JSON.stringify(text)}`)
      }
    for (const [property, named] of [
      ["scx=Greek", "scx=Greek"],
      ["Script_Extensions=Greek", "Script_Extensions=Greek"],
      ["sc=Grek", "Grek"],
      ["Any", undefined]
    ] as const)
      assert.strictEqual(
        refusal(`a\\p{${property}}`),
        named && `the pattern has the Unicode property ${named}, which is not supported`,
        property
      )
  })

  it("13.1 a pattern with a property that the engine does not know is refused, each time", () => {
    const reason = "the pattern has the Unicode property Grekk, which is not supported"
    assert.deepStrictEqual([refusal(String.raw`\p{sc=Grekk}`), refusal(String.raw`a\p{sc=Grekk}`)], [reason, reason])
  })

  it("13.1 of several faults of a pattern, the first is named", () => {
    for (const [pattern, reason] of [
      ["a{2000}(?=b)", "the pattern repeats too much to run in linear time"],
      ["(?=b)a{2000}", "the pattern has a look-ahead, which cannot run in linear time"],
      ["(?!b)(?<=a)", "the pattern has a look-ahead, which cannot run in linear time"],
      ["(?<!b)(?!a)", "the pattern has a look-behind, which cannot run in linear time"],
      ["(?<=b)", "the pattern has a look-behind, which cannot run in linear time"],
      ["(?i-m:b)", "the pattern has flags for a group, which are not supported"],
      [String.raw`(b)\1`, "the pattern has a back reference, which cannot run in linear time"],
      [String.raw`(?<n>b)\k<n>`, "the pattern has a back reference, which cannot run in linear time"],
      [String.raw`\p{scx=Greek}\p{scx=Thai}`, "the pattern has the Unicode property scx=Greek, which is not supported"]
    ] as const)
      assert.strictEqual(refusal(pattern), reason, pattern)
  })

  it("13.1 a pattern that the engine cannot compile leaves every text undecided", () => {
    const { test } = made(`${"(?:a".repeat(990)}b${")*".repeat(990)}`)
    for (const text of ["a", "a", "b", "ab", ""]) assert.isUndefined(test(text), text)
  })

  it("13.1 no text is compared while the allowance is spent", () => {
    let isLeft = true
    const { test } = made("a", { isLeft: () => isLeft, spend: () => undefined })
    assert.isTrue(test("a"))
    isLeft = false
    assert.isUndefined(test("a"))
  })

  it("13.1 a text costs its characters, and the size of the pattern for each new state of its automaton", () => {
    const pattern = "[ab]*a[ab]{12}[cd]"
    const { size } = Result.getOrThrow(translate(pattern))
    const spent: Array<readonly [characters: number, states: number]> = []
    const { test } = made(pattern, { isLeft: () => true, spend: (...cost) => spent.push(cost) })
    let state = 1
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 31 === 0 ? "a" : "b"
    }
    const varied = Array.from({ length: 1_000 }, random).join("")
    const few = `a${"b".repeat(119)}`
    for (const text of ["a", few, few, varied]) test(text)
    assert.deepStrictEqual(spent, [
      [1, size],
      [120, 12 * size],
      [120, 0],
      // If there is more than one new state for ten characters, one is counted for each character.
      [1_000, 1_000 * size]
    ])
  })
})

describe("LinearEngine", () => {
  it("13.1 nothing is reported while the package is installed", () => {
    assert.isDefined(LinearEngine.load())
    assert.isFalse(LinearEngine.isMissingUnreported())
  })
})

describe("Allowance", () => {
  it("13.1 one piece of work spends at most 20 million steps, and the next piece begins with as many", async () => {
    const { isLeft, spend } = Allowance.make()
    spend(20_000_000, 0)
    assert.isFalse(isLeft())
    await Promise.resolve()
    for (let turn = 1; turn <= 2; turn++) {
      assert.isTrue(isLeft())
      spend(10_000_000, 0)
      spend(9_999_996, 1)
      assert.isTrue(isLeft())
      spend(0, 0)
      assert.isFalse(isLeft())
      await Promise.resolve()
    }
    assert.isTrue(isLeft())
  })

  it("13.1 new states spend at most 10 million steps in all", async () => {
    const { isLeft, spend } = Allowance.make()
    spend(0, 9_000_000)
    await Promise.resolve()
    spend(0, 999_999)
    assert.isTrue(isLeft())
    spend(0, 1)
    assert.isFalse(isLeft())
    await Promise.resolve()
    assert.isFalse(isLeft())
  })
})
