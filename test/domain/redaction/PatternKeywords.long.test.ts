/** Tests that each keyword of each pattern and finder has an example that is redacted, so that no keyword is useless. */
import * as Redaction from "#domain/redaction/Redaction"
import * as SecretFinder from "#domain/redaction/SecretFinder"
import { assert, describe, it } from "@effect/vitest"
import { sampleOf } from "../../support/regexSample.ts"
import { keywordExamples, shapes } from "./SecretShapes.ts"

const finders = Redaction.makeFinders()
const found = (finder: SecretFinder.Finder, keyword: string, text: string): boolean =>
  SecretFinder.findAll(SecretFinder.combine([{ ...finder, keywords: [keyword] }]), text, true).length > 0

/** Returns a text that a pattern finds by this keyword and that is redacted, if there is one. */
const exampleOf = (pattern: (typeof Redaction.builtInPatterns)[number], keyword: string): string | undefined => {
  const one = { ...pattern, keywords: [keyword] }
  const search = SecretFinder.combine([SecretFinder.ofPattern(one)])
  for (let seed = 0; seed < 4_000; seed++) {
    const sample = sampleOf(pattern.pattern, seed)
    const text = ` ${pattern.begins === "behind" ? keyword : ""}${sample} `
    if (!text.toLowerCase().includes(keyword)) continue
    if (SecretFinder.findAll(search, text, true).length === 0) continue
    if (Redaction.redactText(finders, text) !== text) return text
  }
  return undefined
}

describe("Keywords of patterns", () => {
  it("4.15 each keyword of each pattern has an example that is redacted", () => {
    const without = Redaction.builtInPatterns.flatMap((pattern) =>
      pattern.keywords
        .filter((keyword) => exampleOf(pattern, keyword) === undefined)
        .map((keyword) => `${pattern.id}: ${keyword}`)
    )
    assert.deepStrictEqual(without, [])
  })

  it("4.15 each keyword of each finder has an example that is redacted", () => {
    const examples = [...shapes.map(([, text]) => text), ...keywordExamples]
    const without = Redaction.builtInFinders.flatMap((finder, index) =>
      finder.keywords
        .filter(
          (keyword) =>
            !examples.some((text) => found(finder, keyword, text) && Redaction.redactText(finders, text) !== text)
        )
        .map((keyword) => `${String(index)}: ${keyword}`)
    )
    assert.deepStrictEqual(without, [])
  })
})
