/** Tests which texts are truncated. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { isCutAtRoundLength, isTruncated } from "#domain/answers/TruncatedText"

describe("isTruncated", () => {
  for (const [given, expected] of [
    [['{"a": 1'], true],
    [['{"a": 1}'], false],
    [['{"a": "x'], true],
    [["{'a': 'x"], true],
    [["[1, 2"], true],
    [["[ 1.5, 2"], true],
    [["[-1, 2"], true],
    [["[[1, 2], [3"], true],
    [["[{}"], false],
    [['[{}], "'], false],
    [["[]x"], false],
    [["{}x"], false],
    [['{"a": 1} and more'], false],
    [['{"a": [1, 2}'], false],
    [['{"a": "}"'], true],
    [['{"a": "\\"}'], false],
    [['{"a": "x\\\\"'], true],
    [["[INFO] x"], false],
    [["hello"], false],
    [[""], false],
    [[' \n{"a": 1'], true],
    [['﻿{"a": 1'], true],
    [['{"a": 1 \n'], true],
    [['{"a": 1} \n'], false],
    [["meta=None content=[TextContent("], true],
    [["meta=None content=[x] isError=False"], false],
    [["meta=None content=[x] isError=True "], false],
    [["meta=None content=[x] isError=Falsey"], true],
    [['{"a": [1, 2], "b": {"c": 3}, "d"'], true],
    [["[1, 2] [3"], false],
    [["{'a': \"it's\", 'b'"], true],
    [['["a" , "b"] x'], false],
    [["[1] x {"], false],
    [[" ".repeat(198) + '{"a": 1'], true],
    [[" ".repeat(200) + '{"a": 1'], false]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(isTruncated(text)), expected)
    })
})

describe("isCutAtRoundLength", () => {
  for (const [given, expected] of [
    [["x".repeat(5_000)], true],
    [["x".repeat(4_000)], false],
    [["x".repeat(5_001)], false],
    [["x".repeat(10_000)], true],
    [["x".repeat(4_999) + "."], false],
    [["x".repeat(4_999) + "\n"], false],
    [["x.".repeat(2_500).slice(0, -1) + "x"], true],
    [["x".repeat(4_500)], false]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(isCutAtRoundLength(text)), expected)
    })
})
