/** Tests which answers are unwrapped from texts and parts. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { answersIn } from "#domain/answers/WrappedAnswers"

describe("answersIn", () => {
  for (const [given, expected] of [
    [[' {"a": 1} '], [{ a: 1 }]],
    [["{'a': None}"], [{ a: null }]],
    [["[1, 2]"], [[1, 2]]],
    [["[true]"], [[true]]],
    [["[null]"], [[null]]],
    [["[None, 1]"], [[null, 1]]],
    [["(1, 2)"], ["(1, 2)"]],
    [['"<html>"'], ["<html>"]],
    [['"plain"'], ['"plain"']],
    [['" [1]"'], [[1]]],
    [["[FILE] a.txt"], ["[FILE] a.txt"]],
    [["{bad"], ["{bad"]],
    [["[Text(x=1)]"], [[{ x: 1 }]]],
    [['{"a": {"b": 1'], ['{"a": {"b": 1', { a: { b: 1 } }]],
    [['{"data": "x'], ['{"data": "x', { data: "x" }, "x"]],
    [["meta=None content=[] isError=True"], [{ meta: null, content: [], isError: true }]],
    [["meta=None content=[] isError=Maybe"], ["meta=None content=[] isError=Maybe"]],
    [["x meta=None isError=True"], ["x meta=None isError=True"]],
    [["[[]]"], [[[]]]],
    [["{}"], [{}]],
    [["[]"], [[]]],
    [["{[1]: 2}"], [{ "1": 2 }]],
    [["[-1]"], [[-1]]],
    [['["a"] b'], ['["a"] b']],
    [
      [
        [
          { type: "text", text: "a" },
          { type: "text", text: "b" }
        ]
      ],
      ["a", "b"]
    ],
    [[[{ type: "text", text: "a", annotations: null, meta: 1, _meta: 2 }]], ["a"]],
    [[[{ type: "text", text: "a", other: 1 }]], [[{ type: "text", text: "a", other: 1 }]]],
    [[[{ type: "image" }]], [[{ type: "image" }]]],
    [[[{ type: "image" }, { text: "a" }]], ["a"]],
    [[[{ text: "a" }, "b"]], [[{ text: "a" }, "b"]]],
    [[[]], [[]]],
    [[{ content: [5, { text: "a" }] }], [{ content: [5, { text: "a" }] }, "a"]],
    [[{ content: "a" }], [{ content: "a" }, "a"]],
    [[{ result: { output: "a" }, body: [1] }], [{ result: { output: "a" }, body: [1] }, { output: "a" }, "a"]],
    [[{ text: "a", structuredContent: { b: 1 } }], [{ text: "a", structuredContent: { b: 1 } }, "a", { b: 1 }]],
    [[true], []],
    [[null], []]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [value] = given
      assert.deepStrictEqual(asJson(answersIn(value)), expected)
    })
})
