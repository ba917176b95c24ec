/** Tests how a report prints what could not be read. */
import { assert, describe, it } from "@effect/vitest"
import * as SkippedText from "#kit/cli/replay/SkippedText"

/** Prints rows on a screen of 60 columns, and returns the lines. */
const printed = (reasons: ReadonlyArray<string>, total = reasons.length): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const screen = {
    columns: 60,
    styled: (_: string, text: string) => text,
    line: (text: string) => void lines.push(text)
  }
  const shown = reasons.map((reason, index) => ({ file: "/logs/a.jsonl", line: index + 1, reason }))
  SkippedText.write(screen, { shown, total }, 60, (file) => file.replace("/logs/", ""))
  return lines
}

describe("the skipped lines of a report", () => {
  it("13.1 have their whole reasons, in lines that fit the screen", () => {
    const fields = ["_type", "created_at", "last_consolidated", "metadata"]
      .map((name) => JSON.stringify(name))
      .join(", ")
    const reason = `The file holds one message per line, but this line is an object with ${fields}.`
    const lines = printed([reason, "This line is not JSON.\u001b[2J"])
    assert.deepStrictEqual(
      lines
        .slice(0, -1)
        .map((line) => line.trim())
        .join(" "),
      `a.jsonl:1: ${reason}`
    )
    assert.deepStrictEqual(
      lines.map((line) => [line.length <= 60, line.search(/\S/)]),
      [2, 4, 4, 2].map((indent) => [true, indent])
    )
    assert.strictEqual(lines.at(-1), "  a.jsonl:2: This line is not JSON.[U+001B][2J")
  })

  it("13.1 are at most ten, with the number of the others", () => {
    const lines = printed(
      Array.from({ length: 12 }, () => "x"),
      1_234
    )
    assert.lengthOf(lines, 11)
    assert.strictEqual(lines.at(-1), "  … and 1,224 more")
    assert.lengthOf(printed(["x"]), 1)
  })
})
