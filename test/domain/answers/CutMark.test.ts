/** Tests which marks of missing content are found in answers. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { cutMarkIn, moreIn } from "#domain/answers/CutMark"

const note = "[431 more lines in file]"

describe("cutMarkIn", () => {
  for (const [given, expected] of [
    [["a\nb\n\n" + note], "431 more lines"],
    [[note], "431 more lines"],
    [[note + "\na\nb\nc"], "431 more lines"],
    [["a\n" + note + "\nb\nc"], null],
    [["a\n" + note + "\nb"], "431 more lines"],
    [["a\nb\nc\n" + note + "\n \n"], "431 more lines"],
    [["a\n\n" + note + "\n\nb\nc"], null],
    [["const x = '" + note + "'; foo()\na\nb"], null],
    [["Page 1 of 5"], "Page 1 of 5"],
    [["Page 1 of 5", true], null],
    [["Page 5 of 5"], null],
    [["Showing 1-10 of 57"], "Showing 1-10 of 57"],
    [["Showing 1-10 of 57", true], null],
    [["Showing 1-57 of 57"], null],
    [["showing first 20"], "showing first 20"],
    [["showing first 20", true], null],
    [["3 remaining"], "3 remaining"],
    [["0 remaining"], null],
    [["3 remaining", true], null],
    [["(3 of 1,200)"], "(3 of 1,200)"],
    [["(1,200 of 1,200)"], null],
    [["hello"], null],
    [[""], null],
    [["x".repeat(4_000) + "\n[output truncated]\n" + "y".repeat(4_000)], "[output truncated]"],
    [["x".repeat(3_900) + "\n[output truncated]\n" + "y".repeat(3_900)], null],
    [["x\n".repeat(2_000) + "[output truncated]" + "\nx".repeat(2_000)], "[output truncated]"],
    [["x\n".repeat(2_000) + note + "\nx".repeat(2_000)], null],
    [["x\n".repeat(2_000) + "The output was truncated" + "\nx".repeat(2_000)], null],
    [["x\n".repeat(1_600) + "[output truncated]" + "\nx".repeat(2_400)], null],
    [["[" + "x".repeat(580) + " 3 more lines]"], "3 more lines"],
    [["a\nb\n" + "z".repeat(600) + " 431 more lines"], "431 more lines"],
    [["# 431 more lines\na\nb\nc"], null],
    [["12: 431 more lines\na\nb\nc"], null],
    [["(431 more lines).\na\nb\nc"], "431 more lines"],
    [["x = 431 more lines\na\nb\nc"], null],
    [[" 431 more lines \n" + "x".repeat(700)], "431 more lines"]
  ] as ReadonlyArray<readonly [readonly [string, boolean?], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text, isPageRequested] = given
      assert.deepStrictEqual(asJson(cutMarkIn(text, isPageRequested)), expected)
    })
})

describe("moreIn", () => {
  for (const [given, expected] of [
    [[{ rows: [1], has_more: true }], "has_more: true"],
    [[{ rows: [1], has_more: false }], null],
    [[{ rows: [], has_more: true }], null],
    [[{ rows: 5, has_more: true }], null],
    [[{ rows: [1], next_cursor: "abc" }], "next_cursor: abc"],
    [[{ rows: [1], next_cursor: "" }], null],
    [[{ rows: [1], next: 2 }], "next: 2"],
    [[{ rows: [1], next: 0 }], null],
    [[{ rows: [1], next: null }], null],
    [[{ rows: [1], next: { a: 1 } }], null],
    [
      [{ rows: [1], next_url: "x".repeat(90) }],
      "next_url: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [[{ rows: [1], other: "x" }], null],
    [[{ rows: [1], has_more: "true" }], null],
    [[[1]], null],
    [[null], null]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(moreIn(answer)), expected)
    })
})
