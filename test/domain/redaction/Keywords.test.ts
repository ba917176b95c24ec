import * as Keywords from "#domain/redaction/Keywords"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const found = (
  words: ReadonlyArray<string>,
  text: string,
  keywords: Keywords.Keywords = Keywords.make(words)
): ReadonlyArray<string> => {
  const hits: Array<string> = []
  Keywords.search(keywords, text, (word, at) => {
    hits.push(`${words[word]}@${at}`)
    return 0
  })
  return hits.sort()
}

const naively = (words: ReadonlyArray<string>, text: string): ReadonlyArray<string> => {
  // only ASCII letters are folded, because other letters can change in length
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const hits: Array<string> = []
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) hits.push(`${word}@${at}`)
  }
  return hits.sort()
}

describe("Keywords", () => {
  it("4.15 finds words within words and words with a common end, ignoring case", () =>
    assert.deepStrictEqual(found(["he", "she", "hers", "his"], "uSHErs"), ["he@2", "hers@2", "she@1"]))

  it("4.15 resumes at the returned offset", () => {
    const at: Array<number> = []
    Keywords.search(Keywords.make(["aa"]), "aaaaaa", (_, index) => {
      at.push(index)
      return index + 3
    })
    assert.deepStrictEqual(at, [0, 3])
  })

  it("4.15 finds nothing if there are no words", () => assert.deepStrictEqual(found([], "anything"), []))

  const letters = Schema.Array(Schema.Literals(["a", "b", "-", "C"]))
  it.prop(
    "4.15 finds the same as a separate search for each word",
    [Schema.Array(letters), letters, Schema.String],
    ([words, text, noise]) => {
      const list = [...new Set(words.map((word) => word.join("").toLowerCase()).filter((word) => word !== ""))]
      const whole = text.join("") + noise + text.join("")
      assert.deepStrictEqual(found(list, whole), naively(list, whole))
      assert.strictEqual(Keywords.mentions(Keywords.make(list), whole), naively(list, whole).length > 0)
    },
    { arbitrary: { runs: 300 } }
  )

  it("4.15 finds a word at every offset of texts of 2 to 12 characters", () => {
    const keywords = Keywords.make(["ab"])
    for (let length = 2; length <= 12; length++) {
      assert.isFalse(Keywords.mentions(keywords, "a".repeat(length)))
      for (let at = 0; at <= length - 2; at++) {
        const text = `${".".repeat(at)}aB${".".repeat(length - 2 - at)}`
        assert.isTrue(Keywords.mentions(keywords, text), text)
      }
    }
  })

  it("4.15 stores the states of many words in 32 bits, and still finds a word", () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `word${index}-${index * 7919}`)
    const keywords = Keywords.make(words)
    assert.instanceOf(keywords.next, Uint32Array)
    assert.deepStrictEqual(found(words, "xx word2999-23749081 yy", keywords).includes("word2999-23749081@3"), true)
  })
})
