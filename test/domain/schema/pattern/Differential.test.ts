/** Tests that translated patterns match exactly the texts that `RegExp` matches. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ForeignPattern from "#domain/schema/pattern/ForeignPattern"

/** Returns a deterministic function that draws numbers below its argument. */
const generator = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const atoms =
  String.raw`a|b|Z|0|_|-|\.|\/|\-x|.|^|$|\b|\B|\d|\D|\w|\W|\s|\S|\t|\n|\v|\f|\r|\0|\cJ|\x41|\u0061|\u{1F600}|\ud83d\ude00|😀|é|\p{L}|\P{L}|\p{Lu}|\p{Letter}|\p{gc=Nd}|\p{Script=Greek}|\p{ASCII}|\P{ASCII}|\p{Emoji}|[ab]|[^ab]|[a-f0-9]|[]|[^]|[\d\s]|[^\D]|[\w.-]|[\b]|[&&a]|[[:alpha:\]]|[\p{Lu}\d]|[^\P{L}]|[\u{1F600}-\u{1F64F}]|[\ud83d\ude00-\ud83d\ude4f]|[\]\\\-^]|[-a]|[a-]|[\cA-\cZ]|[\0-\x1f]|\u2028|[\u2000-\u206f]|"|<|~|\ud83d|[\ud800-\udfff]|[^\u0000-\uffff]`.split(
    "|"
  )

const quantifiers = ["", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{0}", "{1,2}?"]

const makePattern = (random: (below: number) => number, depth = 0): string => {
  const parts = Array.from({ length: 1 + random(4) }, () => {
    if (depth < 3 && random(4) === 0) {
      const open = ["(", "(?:", `(?<n${depth}${random(1e9)}>`][random(3)] ?? "("
      return `${open}${makePattern(random, depth + 1)}${random(3) === 0 ? `|${makePattern(random, depth + 1)}` : ""})${quantifiers[random(quantifiers.length)]}`
    }
    const atom = atoms[random(atoms.length)] ?? "a"
    const isAssertion = /^(?:\^|\$|\\b|\\B)$/.test(atom) || atom === "\\-x" || atom === "[[:alpha:\\]]"
    return `${atom}${isAssertion ? "" : quantifiers[random(quantifiers.length)]}`
  })
  return parts.join("")
}

const letters = [
  "a",
  "b",
  "Z",
  "0",
  "_",
  "-",
  ".",
  "/",
  " ",
  "\n",
  "\r",
  "\u2028",
  "\u00a0",
  "\ufeff",
  "\t",
  "\b",
  "\0"
].concat(["😀", "é", "Ω", "\ud83d", "\ude00", "\v", "&", "[", ":", "]", "x", "1", "\u{1F64F}", "\u2003", "A", "\u0001"])

const makeText = (random: (below: number) => number): string =>
  Array.from({ length: random(8) }, () => letters[random(letters.length)] ?? "").join("")

const differences = (
  seed: number,
  patterns: number
): { readonly found: ReadonlyArray<unknown>; readonly run: number } => {
  const random = generator(seed)
  const found: Array<unknown> = []
  let run = 0
  for (let count = 0; count < patterns; count++) {
    const pattern = makePattern(random)
    let native: RegExp
    try {
      native = new RegExp(pattern, "u")
    } catch {
      continue
    }
    const foreign = ForeignPattern.make(pattern)
    if (Result.isFailure(foreign)) {
      found.push([pattern, foreign.failure])
      continue
    }
    run += 1
    for (const text of ["", ...Array.from({ length: 12 }, () => makeText(random))]) {
      // V8 looks for `\B` inside a surrogate pair too, contrary to ECMA-262.
      if (pattern.includes("\\B") && /[\u{10000}-\u{10FFFF}]/u.test(text)) continue
      const answer = foreign.success.test(text)
      if (answer !== native.test(text)) found.push([pattern, JSON.stringify(text), native.test(text), answer])
    }
  }
  return { found, run }
}

describe("ForeignPattern", () => {
  it("13.1 a translated pattern gives the answers of RegExp, on generated patterns and texts", () => {
    const { found, run } = differences(1, 1_500)
    assert.deepStrictEqual(found.slice(0, 10), [])
    assert.isAbove(run, 1_000)
  })

  it("13.1 a translated pattern matches the whole texts that RegExp matches, for each construct", () => {
    const quantified = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{2,3}", "{1,}", "{0}", "{1,2}?", "{3}?"]
    const classes = [
      "[^ab]",
      "[a^]",
      "[^^]",
      "[^]",
      "[]",
      "[😀a]",
      "[^😀]",
      "[\uffff]",
      "[\uffff\u{10000}]",
      "[a-c]",
      "[a-]",
      "[-c]",
      String.raw`[\]a]`,
      String.raw`[\b]`,
      String.raw`[\d-]`,
      String.raw`[\u{61}-\u0063]`,
      String.raw`[\0-\x1f]`,
      String.raw`[\ud83d\ude00]`,
      String.raw`[\p{Lu}😀]`
    ]
    const single = ["\uffff", "\u{10000}", String.raw`\x41`, String.raw`\ca`, "(?<n>a)", "(a)", "(?:a)"]
    const patterns = [
      ...quantified.flatMap((each) => [`a${each}`, `(?:ab|c)${each}d`, `(?<n>a)${each}`, `(a)${each}`, `[ab]${each}`]),
      ...[...classes, ...single].flatMap((each) => [each, `${each}{2}`, `a${each}`])
    ]
    const texts = [
      "",
      ..."abc^-]\\AdD01😀\uffff\u{10000}\b\u0001\0",
      "aa",
      "aaa",
      "aaaa",
      "d",
      "cd",
      "ccd",
      "abd",
      "abcd",
      "abababd"
    ]
    for (const pattern of patterns.map((each) => `^${each}$`)) {
      const { test } = Result.getOrThrow(ForeignPattern.make(pattern))
      const native = new RegExp(pattern, "u")
      for (const text of texts) assert.strictEqual(test(text), native.test(text), `${pattern} ${JSON.stringify(text)}`)
    }
  })
})
