/** Tests which answers are marked as errors, with which message, and the data of MCP results. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { innerErrorIn } from "#domain/answers/InnerError"
import { dataOf, textOf } from "#domain/answers/McpResult"

describe("innerErrorIn", () => {
  for (const [given, expected] of [
    [[[{ isError: true, content: [{ type: "text", text: "gone" }] }]], "gone"],
    [[[{ is_error: true, message: "gone" }]], "gone"],
    [[[{ isError: true, error: "gone" }]], "gone"],
    [[[{ isError: true, error: 5 }]], "isError is true, without a message"],
    [[[{ isError: true }]], "isError is true, without a message"],
    [[[{ isError: "true", message: "gone" }]], null],
    [
      [
        [
          { isError: false, content: [] },
          { isError: true, content: [{ type: "text", text: "gone" }] }
        ]
      ],
      "gone"
    ],
    [[[{ isError: false }, { isError: true, message: "gone" }]], null],
    [[[{ is_error: false }]], null],
    [[["x", { isError: true, content: "gone" }]], "gone"],
    [
      [
        [
          {
            isError: true,
            content: [
              { type: "text", text: " " },
              { type: "text", text: "gone" }
            ]
          }
        ]
      ],
      "gone"
    ],
    [[[{ isError: true, text: " ", message: "gone" }]], "gone"],
    [[[]], null],
    [[[null, 5]], null],
    [[[{ isError: true, data: { a: 1 }, message: "gone" }]], "gone"]
  ] as ReadonlyArray<readonly [readonly [ReadonlyArray<unknown>], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answers] = given
      assert.deepStrictEqual(asJson(innerErrorIn(answers)), expected)
    })
})

describe("dataOf", () => {
  for (const [given, expected] of [
    [
      [
        {
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" }
          ]
        }
      ],
      "a\nb"
    ],
    [[{ content: [{ type: "image" }, 5, { text: 7 }] }], ""],
    [[{ content: [], structuredContent: { a: 1 } }], { a: 1 }],
    [[{ content: [], structuredContent: [1] }], ""],
    [[{ content: "a" }], { content: "a" }],
    [["a"], "a"],
    [[null], null],
    [[{ a: 1 }], { a: 1 }]
  ] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result] = given
      assert.deepStrictEqual(asJson(dataOf(result)), expected)
    })
})

describe("textOf", () => {
  for (const [given, expected] of [
    [[{ content: [{ text: "a" }, { text: "b" }] }], "a\nb"],
    [[{ content: "a" }], ""],
    [[{}], ""]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result] = given
      assert.deepStrictEqual(asJson(textOf(result as never)), expected)
    })
})
