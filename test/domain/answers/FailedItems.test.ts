/** Tests how many items of a batch failed. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { failedItemsIn } from "#domain/answers/FailedItems"

describe("failedItemsIn", () => {
  for (const [given, expected] of [
    [[[{ name: "a", error: "gone" }, { name: "b" }]], { failed: 1, total: 2, message: "gone" }],
    [[[{ name: "a", success: false, message: "gone" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ name: "a", success: true, message: "gone" }]], null],
    [[[{ name: "a", isError: true, reason: "gone" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ name: "a", status: "failed", message: "gone" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ name: "a", status: "ok", message: "gone" }]], null],
    [[[{ name: "a", result: "Error", message: "gone" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ name: "a", status: "errors", message: "gone" }]], null],
    [[[{ name: "a", status: "no error", message: "gone" }]], null],
    [[[{ name: "a", n: 1, error: "gone" }]], null],
    [[[{ name: { x: 1 }, error: "gone" }]], null],
    [[[{ id: 1, error: "gone" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ id: 1, name: "a", error: "gone" }]], null],
    [[[{ id: 1, error: "gone", status: "" }]], null],
    [[[{ error: { message: "gone" } }]], null],
    [[[{ success: false, error: { message: "gone" } }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ success: false, error: { detail: "gone" } }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ success: false, error: { other: "gone" } }]], null],
    [[[{ success: false, error: " " }]], null],
    [[[{ success: false }]], null],
    [[[{ success: false, message: "gone", empty: null, name: "a" }]], { failed: 1, total: 1, message: "gone" }],
    [[[{ success: false, messages: "gone", name: "a" }]], null],
    [[[]], null],
    [[["x"]], null],
    [["x"], null],
    [[5], null],
    [[null], null],
    [[{ results: [{ name: "a", error: "gone" }] }], { failed: 1, total: 1, message: "gone" }],
    [[{ results: [{ name: "a", error: "gone" }], total: 1 }], { failed: 1, total: 1, message: "gone" }],
    [[{ results: [{ name: "a", error: "gone" }], meta: { a: 1 } }], null],
    [[{ results: [{ name: "a", error: "gone" }], more: [{ name: "b" }] }], null],
    [[{ results: ["x"], more: [{ name: "b", error: "gone" }] }], { failed: 1, total: 1, message: "gone" }],
    [[{ a: { error: "gone" }, b: { n: 1 } }], { failed: 1, total: 2, message: "gone" }],
    [[{ a: { error: "gone" }, b: 5 }], null],
    [[{}], null],
    [[Array.from({ length: 200 }, () => ({ error: "gone" }))], { failed: 200, total: 200, message: "gone" }],
    [[Array.from({ length: 201 }, () => ({ error: "gone" }))], null],
    [["/a.txt:\nhello\n---\n/b.txt: Error - gone"], { failed: 1, total: 2, message: "/b.txt: Error - gone" }],
    [["/a.txt: Error - gone\n-----\n/b.txt: error: lost"], { failed: 2, total: 2, message: "/a.txt: Error - gone" }],
    [["/a.txt: Error - gone"], null],
    [["x\n---\ny"], null],
    [["x\n---"], null],
    [["/a.txt: Errors - gone\n---\nx"], null],
    [["/a b.txt: error x\n---\nz"], { failed: 1, total: 2, message: "/a b.txt: error x" }],
    [["\n--- a"], null],
    [["x:\n---\n/b.txt: Error - gone\nmore"], null],
    [["y /b.txt: error\n---\nz"], null],
    [["x\n---\n /b.txt: error gone "], { failed: 1, total: 2, message: "/b.txt: error gone" }]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(failedItemsIn(answer)), expected)
    })
})
