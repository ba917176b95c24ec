/** Tests which failures are found in results. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { failureIn, hiddenFailureIn, replacedDataIn, statedFailureIn } from "#domain/answers/HiddenFailure"
import { answersIn } from "#domain/answers/WrappedAnswers"
import { hasGarbage, hasPartial, statedGarbage, statedPartial } from "#domain/answers/StatedVerdict"

const page = "<html><head><title>503 Service Unavailable</title></head></html>"
const text = (words: string) => ({ content: [{ type: "text", text: words }] })
const words = (found: ReturnType<typeof hiddenFailureIn>): unknown =>
  found === undefined ? null : [found.message, found.error.message, found.error.evidence]

describe("hiddenFailureIn", () => {
  for (const [given, expected] of [
    [
      [{ error: "user not found" }],
      ["user not found", "user not found", { error: "user not found", message: "user not found" }]
    ],
    [
      [{ error: "user not found", code: "X" }],
      ["user not found", "user not found", { error: "user not found", code: "X", message: "user not found" }]
    ],
    [
      [{ message: "Endpoint does not exist" }],
      ["Endpoint does not exist", "Endpoint does not exist", { message: "Endpoint does not exist" }]
    ],
    [
      [{ message: "Hello", error: "user not found" }],
      [
        "user not found",
        "Hello; user not found",
        { message: "Hello", error: "user not found", description: "user not found" }
      ]
    ],
    [
      [{ detail: [{ loc: ["query", "q"], msg: "field required" }] }],
      [
        "field required",
        "query.q: field required",
        { detail: [{ loc: ["query", "q"], msg: "field required" }], message: "field required" }
      ]
    ],
    [
      [{ detail: [{ loc: ["query", "q"], msg: "field required" }], code: "Y" }],
      [
        "field required",
        "query.q: field required",
        { detail: [{ loc: ["query", "q"], msg: "field required" }], code: "Y", message: "field required" }
      ]
    ],
    [[{ error: "it broke" }, "get_last_error"], null],
    [[{ message: "Payment failed" }, "read_message"], null],
    [
      [page],
      ["503 Service Unavailable", "503 Service Unavailable", { status: 503, message: "503 Service Unavailable" }]
    ],
    [["<html><title>Access Denied</title></html>"], ["Access Denied", "Access Denied", "Access Denied"]],
    [["Error: it broke"], ["Error: it broke", "Error: it broke", "Error: it broke"]],
    [["Error: it broke", "get_last_error"], null],
    [
      ["Error: order created", "create_order"],
      ["Error: order created", "Error: order created", "Error: order created"]
    ],
    [["hello"], null],
    [
      [[{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }]],
      ["name is missing", "name is missing", [{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }]]
    ],
    [[[{ errorCode: "REQUIRED_FIELD_MISSING", message: "it broke" }], "get_last_error"], null],
    [[[{ name: "a", error: "gone" }]], ["gone", "gone", "gone"]],
    [[[{ name: "a", error: "gone" }, { name: "b" }]], null],
    [[{ valid: false, error: "user not found" }], null],
    [[{ url: "https://a.example", statusCode: 404 }], null],
    [[{ ...text("it broke"), isError: true }], ["it broke", "it broke", "it broke"]],
    [
      [{ ...text('{"error":"user not found","code":7}'), isError: true }],
      [
        '{"error":"user not found","code":7}',
        "user not found",
        { error: "user not found", code: 7, message: "user not found" }
      ]
    ],
    [
      [{ ...text(" "), isError: true }],
      [
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message."
      ]
    ],
    [[{ isError: true, content: [], structuredContent: { message: "gone" } }], ["gone", "gone", { message: "gone" }]],
    [
      [{ isError: true, content: [], structuredContent: { a: 1 } }],
      [
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message."
      ]
    ],
    [[{ isError: true, message: "gone" }], ["gone", "gone", { message: "gone" }]],
    [[{ isError: true, data: "gone" }], ["gone", "gone", "gone"]],
    [[{ isError: false, ...text("Error: it broke") }], ["Error: it broke", "Error: it broke", "Error: it broke"]]
  ] as ReadonlyArray<readonly [readonly [unknown, string?], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result, tool] = given
      assert.deepStrictEqual(asJson(words(hiddenFailureIn(answersIn(result), tool))), expected)
    })
})

describe("failureIn", () => {
  for (const [given, expected] of [
    [[{ ...text("it broke"), isError: true }], ["it broke", "it broke", "it broke"]],
    [
      [{ isError: true }],
      [
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message.",
        "The tool reported a failure without a message."
      ]
    ],
    [["hello"], null],
    [
      [{ error: "user not found" }],
      ["user not found", "user not found", { error: "user not found", message: "user not found" }]
    ]
  ] as ReadonlyArray<readonly [readonly [unknown, string?], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result, tool] = given
      assert.deepStrictEqual(asJson(words(failureIn(result, tool))), expected)
    })
})

describe("statedFailureIn", () => {
  for (const [given, expected] of [
    [
      [{ error: "user not found" }, "get"],
      ["user not found", "user not found", { error: "user not found", message: "user not found" }]
    ],
    [
      [{ data: { error: "user not found" } }, "get"],
      ["user not found", "user not found", "user not found"]
    ],
    [
      [{ ok: false }, "get"],
      [
        'The answer says that "ok" is false.',
        'The answer says that "ok" is false.',
        'The answer says that "ok" is false.'
      ]
    ],
    [[{ ok: false, rows: [1] }, "get"], null],
    [
      [{ ...text("it broke"), isError: true }, "get"],
      ["it broke", "it broke", "it broke"]
    ],
    [[{ a: 1 }, "get"], null],
    [
      ["Error: it broke", "get"],
      ["Error: it broke", "Error: it broke", "Error: it broke"]
    ],
    [
      [{ data: { ...text("it broke"), isError: true } }, "get"],
      ["it broke", "it broke", "it broke"]
    ]
  ] as ReadonlyArray<readonly [readonly [unknown, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result, tool] = given
      assert.deepStrictEqual(asJson(words(statedFailureIn(result, tool))), expected)
    })
})

describe("replacedDataIn", () => {
  for (const [given, expected] of [
    [
      [{ error: "user not found" }, "get"],
      ["user not found", "user not found", { error: "user not found", message: "user not found" }]
    ],
    [[{ error: "user not found", id: 1 }, "get"], null],
    [[{ error: "user not found", done: true }, "get"], null],
    [
      [{ jsonrpc: "2.0", id: 1, error: { message: "user not found" } }, "get"],
      [
        "user not found",
        "user not found",
        { jsonrpc: "2.0", id: 1, error: { message: "user not found" }, message: "user not found" }
      ]
    ],
    [[{ valid: false, error: "user not found" }, "get"], null],
    [[{ url: "https://a.example", statusCode: 404 }, "get"], null],
    [
      [{ message: "Hello", status: 404 }, "get"],
      ["Hello", "Hello", { message: "Hello", status: 404 }]
    ],
    [[{ message: "Hello" }, "get"], null],
    [
      [{ data: { error: "user not found" } }, "get"],
      ["user not found", "user not found", { error: "user not found", message: "user not found" }]
    ],
    [[{ data: { data: { data: { data: { data: { error: "user not found" } } } } } }, "get"], null],
    [
      [[{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }], "get"],
      ["name is missing", "name is missing", [{ errorCode: "REQUIRED_FIELD_MISSING", message: "name is missing" }]]
    ],
    [
      [{ ok: false }, "get"],
      [
        'The answer says that "ok" is false.',
        'The answer says that "ok" is false.',
        'The answer says that "ok" is false.'
      ]
    ],
    [[{ ok: false, rows: [1] }, "get"], null],
    [[{ error: "it broke" }, "get_last_error"], null],
    [
      [{ failed: true }, "get"],
      [
        'The answer says that "failed" is true.',
        'The answer says that "failed" is true.',
        'The answer says that "failed" is true.'
      ]
    ],
    [[{ failed: true, error: "it broke" }, "get_last_error"], null],
    [
      [{ ...text("it broke"), isError: true }, "get"],
      ["it broke", "it broke", "it broke"]
    ],
    [[{ status: "error", a: 1, b: 2 }, "get"], null],
    [[5, "get"], null]
  ] as ReadonlyArray<readonly [readonly [unknown, string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result, tool] = given
      assert.deepStrictEqual(asJson(words(replacedDataIn(result, tool))), expected)
    })
})

describe("checks of stated verdicts", () => {
  for (const [given, expected] of [
    [[[]], [false, false]],
    [[["p"]], [true, false]],
    [[["g"]], [false, true]],
    [[["x"]], [false, false]],
    [[["x", "p", "g"]], [true, true]]
  ] as ReadonlyArray<readonly [readonly [ReadonlyArray<string>], unknown]>)
    it(`5.1 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [names] = given
      assert.deepStrictEqual(
        asJson(
          ((checks) => [hasPartial(checks), hasGarbage(checks)])(
            names.map((name) => ({
              name,
              run: name === "p" ? statedPartial : name === "g" ? statedGarbage : () => ({})
            })) as never
          )
        ),
        expected
      )
    })
})

describe("the verdict of stated verdicts", () => {
  for (const [given, expected] of [[[1], ["Ok", "Ok"]]] as ReadonlyArray<readonly [readonly [unknown], unknown]>)
    it(`5.1 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [result] = given
      assert.deepStrictEqual(
        asJson([statedPartial(result, undefined as never)._tag, statedGarbage(result)._tag]),
        expected
      )
    })
})
