/** Tests that the corpus is well formed, that its halves share no product, and that measurements of a half are counted. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Corpus from "./corpus.ts"
import { tagOf } from "./errorFile.ts"
import { UnreadableFile } from "./labelledLine.ts"

const halves = ["open", "held-out"] as const

describe("the corpus", () => {
  it.each(halves)(
    "3.1 each text of the %s half has an id, a product, an origin and a kind, and occurs once",
    (half) => {
      const texts = Corpus.texts(half)
      assert.isAbove(texts.length, 800)
      assert.strictEqual(new Set(texts.map(({ id }) => id)).size, texts.length)
      assert.strictEqual(new Set(texts.map(({ message }) => message)).size, texts.length)
      const malformed = texts.filter(
        ({ category, kind, language, message, origin, product }) =>
          product === "" ||
          category === "" ||
          language === "" ||
          message.length < 8 ||
          origin === "" ||
          (kind !== "failure" && kind !== "looks")
      )
      assert.deepStrictEqual(
        malformed.map(({ id }) => id),
        []
      )
    }
  )

  it("3.1 together the halves have 2,000 failures, 200 texts that only look like failures, and 10 languages", () => {
    const all = halves.flatMap((half) => Corpus.texts(half))
    assert.isAtLeast(all.filter(({ kind }) => kind === "failure").length, 2_000)
    assert.isAtLeast(all.filter(({ kind }) => kind === "looks").length, 200)
    const counts = Map.groupBy(all, ({ language }) => language)
    assert.isAtLeast([...counts.values()].filter((texts) => texts.length >= 10).length, 10)
  })

  it("3.1 no product is in both halves", () => {
    const [open, heldOut] = halves.map(
      (half) => new Set(Corpus.texts(half).map(({ product }) => product.toLowerCase()))
    )
    assert.deepStrictEqual(
      [...(open ?? [])].filter((product) => heldOut?.has(product)),
      []
    )
    assert.isAtLeast((open?.size ?? 0) + (heldOut?.size ?? 0), 150)
  })

  it.each(halves)("3.1 both annotators labelled each text of the %s half with a known label", (half) => {
    const ids = Corpus.texts(half).map(({ id }) => id)
    for (const annotator of [1, 2] as const) {
      const labels = Corpus.labels(half, annotator)
      assert.deepStrictEqual([...labels.keys()].sort(), [...ids].sort())
      for (const { accept = [], label } of labels.values()) {
        for (const each of [label, ...accept]) assert.isTrue(each === "ok" || Object.hasOwn(tagOf, each), each)
      }
    }
  })

  it("3.1 the held-out half is measured at most five times, each time with its reason", () => {
    const folder = mkdtempSync(join(tmpdir(), "corpus-"))
    try {
      const path = join(folder, "openings.jsonl")
      assert.strictEqual(Corpus.openingCount(path), 0)
      for (let n = 1; n <= 5; n++) Corpus.recordOpening(`change ${n}`, { exact: 0.5 }, path)
      assert.throws(() => Corpus.recordOpening("change 6", {}, path), UnreadableFile, /was measured 5 times/)
      const lines = readFileSync(path, "utf8").trimEnd().split("\n")
      assert.deepStrictEqual(JSON.parse(lines[4] ?? ""), { opening: 5, reason: "change 5", exact: 0.5 })
      assert.strictEqual(lines.length, 5)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
