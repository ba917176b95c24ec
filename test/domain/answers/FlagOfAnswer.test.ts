/** Tests the field that marks an answer as a failure, and whether the answer contains anything else. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { errorOf, flagIn, isAlone, sentenceOf } from "#domain/answers/FailureFlag"

/** Returns the path of the flag, what it is, and the words of its error. */
const read = (answer: unknown, tool = "", isLoose = false): unknown => {
  const flag = flagIn(answer, { tool, isLoose })
  if (flag === undefined) return null
  const kinds = [flag.isState ? "state" : "", flag.isBare ? "bare" : "", isAlone(flag) ? "alone" : ""].filter(
    (kind) => kind !== ""
  )
  return [flag.path.join("."), kinds.join(), sentenceOf(flag), errorOf(flag).message]
}
const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, index]))

describe("flagIn", () => {
  for (const [given, expected] of [
    [
      [{ ok: false }],
      ["ok", "bare,alone", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']
    ],
    [
      [{ ok: false, a: 1 }],
      ["ok", "bare", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']
    ],
    [[{ ok: false, a: [1] }], ["ok", "", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']],
    [[{ ok: false, message: "gone" }], ["ok", "bare,alone", 'The answer says that "ok" is false.', "gone"]],
    [
      [{ ok: false, report: "3 errors" }],
      ["ok", "", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']
    ],
    [
      [{ success: "n" }],
      ["success", "bare,alone", 'The answer says that "success" is "n".', 'The answer says that "success" is "n".']
    ],
    [
      [{ success: "no" }],
      ["success", "bare,alone", 'The answer says that "success" is "no".', 'The answer says that "success" is "no".']
    ],
    [
      [{ success: " NG " }],
      [
        "success",
        "bare,alone",
        'The answer says that "success" is " NG ".',
        'The answer says that "success" is " NG ".'
      ]
    ],
    [[{ success: "nothing" }], null],
    [[{ success: "x".repeat(17) }], null],
    [
      [{ success: "no" + " ".repeat(14) }],
      [
        "success",
        "bare,alone",
        'The answer says that "success" is "no              ".',
        'The answer says that "success" is "no              ".'
      ]
    ],
    [[{ success: "no" + " ".repeat(15) }], null],
    [
      [{ failure: true }],
      ["failure", "alone", 'The answer says that "failure" is true.', 'The answer says that "failure" is true.']
    ],
    [
      [{ haserrors: "true" }],
      [
        "haserrors",
        "alone",
        'The answer says that "haserrors" is "true".',
        'The answer says that "haserrors" is "true".'
      ]
    ],
    [[{ hasErrors: false }], null],
    [
      [{ isError: true }],
      ["isError", "alone", 'The answer says that "isError" is true.', 'The answer says that "isError" is true.']
    ],
    [[{ isError: "true" }], null],
    [
      [{ failed: true }],
      ["failed", "alone", 'The answer says that "failed" is true.', 'The answer says that "failed" is true.']
    ],
    [
      [{ failed: "true" }],
      ["failed", "alone", 'The answer says that "failed" is "true".', 'The answer says that "failed" is "true".']
    ],
    [[{ failed: ["a"] }], null],
    [[{ failed: ["a"], successful: ["b"] }], ["failed", "", 'The answer has "failed".', 'The answer has "failed".']],
    [[{ failed: [], successful: ["b"] }], null],
    [[{ failed: ["a"], successes: 1 }], ["failed", "", 'The answer has "failed".', 'The answer has "failed".']],
    [[{ failed: ["a"], unsuccess: 1 }], null],
    [
      [{ FailedPutCount: 2 }],
      [
        "FailedPutCount",
        "alone",
        'The answer says that "FailedPutCount" is 2.',
        'The answer says that "FailedPutCount" is 2.'
      ]
    ],
    [[{ FailedPutCount: 0 }], null],
    [[{ FailedPutCount: "2" }], null],
    [[{ error: "gone" }], ["error", "alone", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: 1 }], ["error", "alone", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: 1, b: 2 }], ["error", "alone", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: 1, b: 2, c: 3 }], ["error", "", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: "x".repeat(60) }], ["error", "alone", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: "x".repeat(61) }], ["error", "", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: {} }], ["error", "alone", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "gone", a: { b: 1 } }], ["error", "", 'The answer says that "error" is "gone".', "gone"]],
    [
      [{ error: true, a: 1 }],
      ["error", "", 'The answer says that "error" is true.', 'The answer says that "error" is true.']
    ],
    [[{ error: [0] }], null],
    [[{ error: [null, "gone"] }], ["error", "alone", 'The answer has "error".', "gone"]],
    [[{ error: { code: 0 } }], null],
    [[{ error: { code: "00" } }], null],
    [[{ error: { errcode: 0 } }], null],
    [[{ error: { code: 5 } }], ["error", "alone", 'The answer has "error".', 'The answer has "error".']],
    [[{ error: 5 }], ["error", "alone", 'The answer says that "error" is 5.', 'The answer says that "error" is 5.']],
    [[{ error: 0 }], null],
    [[{ error: "none" }], null],
    [[{ error: "no error" }], null],
    [[{ errors: 3 }], null],
    [[{ errors: ["gone"] }], ["errors", "alone", 'The answer has "errors".', "gone"]],
    [[{ errors: ["gone"], a: 1 }], ["errors", "alone", 'The answer has "errors".', "gone"]],
    [[{ fault: { faultstring: "gone" } }], ["fault", "alone", 'The answer has "fault".', "gone"]],
    [[{ fault: { code: "P0420" } }], null],
    [[{ exception: "gone" }], ["exception", "alone", 'The answer says that "exception" is "gone".', "gone"]],
    [
      [{ errorcode: "X_Y" }],
      ["errorcode", "alone", 'The answer says that "errorcode" is "X_Y".', 'The answer says that "errorcode" is "X_Y".']
    ],
    [
      [{ errorcode: "X_Y", message: "gone" }],
      ["errorcode", "alone", 'The answer says that "errorcode" is "X_Y".', "gone"]
    ],
    [
      [{ errorcode: "X_Y", message: "gone", a: 1 }],
      ["errorcode", "alone", 'The answer says that "errorcode" is "X_Y".', "gone"]
    ],
    [
      [{ errorcode: "X_Y", a: 1 }],
      ["errorcode", "", 'The answer says that "errorcode" is "X_Y".', 'The answer says that "errorcode" is "X_Y".']
    ],
    [[{ errcode: "none" }], null],
    [[{ errcode: "NoError" }], null],
    [[{ errcode: "ok" }], null],
    [[{ errcode: "x y" }], null],
    [
      [{ errcode: 7 }],
      ["errcode", "alone", 'The answer says that "errcode" is 7.', 'The answer says that "errcode" is 7.']
    ],
    [
      [{ errcode: "7" }],
      ["errcode", "alone", 'The answer says that "errcode" is "7".', 'The answer says that "errcode" is "7".']
    ],
    [[{ errcode: "000" }], null],
    [[{ errcode: 7, errmsg: "Order created" }, "create_order"], null],
    [[{ errcode: "n/a" }], null],
    [[{ errcode: "A" }], null],
    [
      [{ status: "error" }],
      ["status", "alone", 'The answer says that "status" is "error".', 'The answer says that "status" is "error".']
    ],
    [
      [{ status: "error", a: 1 }],
      ["status", "", 'The answer says that "status" is "error".', 'The answer says that "status" is "error".']
    ],
    [
      [{ status: "error", a: 1, b: 2 }],
      ["status", "state", 'The answer says that "status" is "error".', 'The answer says that "status" is "error".']
    ],
    [
      [{ status: "error", a: 1, b: 2, message: "gone" }],
      ["status", "", 'The answer says that "status" is "error".', "gone"]
    ],
    [
      [{ status: "failed", id: 1 }],
      [
        "status",
        "state,alone",
        'The answer says that "status" is "failed".',
        'The answer says that "status" is "failed".'
      ]
    ],
    [[{ status: "failed" }, "fail_job"], null],
    [
      [{ status: 404 }],
      ["status", "alone", 'The answer says that "status" is 404.', 'The answer says that "status" is 404.']
    ],
    [
      [{ status: 404, body: "x" }],
      ["status", "", 'The answer says that "status" is 404.', 'The answer says that "status" is 404.']
    ],
    [
      [{ statusCode: 404, body: "x" }],
      ["statusCode", "alone", 'The answer says that "statusCode" is 404.', 'The answer says that "statusCode" is 404.']
    ],
    [
      [{ statusCode: 404, other: "x" }],
      ["statusCode", "", 'The answer says that "statusCode" is 404.', 'The answer says that "statusCode" is 404.']
    ],
    [
      [{ statusCode: "500" }],
      [
        "statusCode",
        "alone",
        'The answer says that "statusCode" is "500".',
        'The answer says that "statusCode" is "500".'
      ]
    ],
    [[{ statusCode: "5000" }], null],
    [[{ statusCode: 399 }], null],
    [[{ statusCode: 600 }], null],
    [[{ statusCode: 400.5 }], null],
    [
      [{ status: false }],
      ["status", "alone", 'The answer says that "status" is false.', 'The answer says that "status" is false.']
    ],
    [[{ status: "denied" }], null],
    [
      [{ status: "denied" }, "", true],
      ["status", "alone", 'The answer says that "status" is "denied".', 'The answer says that "status" is "denied".']
    ],
    [
      [{ result: "failed" }],
      ["result", "alone", 'The answer says that "result" is "failed".', 'The answer says that "result" is "failed".']
    ],
    [
      [{ result: "nok" }],
      ["result", "alone", 'The answer says that "result" is "nok".', 'The answer says that "result" is "nok".']
    ],
    [
      [{ stat: "ng" }],
      ["stat", "alone", 'The answer says that "stat" is "ng".', 'The answer says that "stat" is "ng".']
    ],
    [[{ type: "error", message: "gone" }], ["type", "alone", 'The answer says that "type" is "error".', "gone"]],
    [[{ type: "error" }], null],
    [[{ type: "X.YException", message: "gone" }], ["type", "alone", 'The answer has "type".', "gone"]],
    [[{ type: "X Exception", message: "gone" }], null],
    [
      [{ type: "error", error: { a: 1 } }],
      ["type", "alone", 'The answer says that "type" is "error".', 'The answer says that "type" is "error".']
    ],
    [
      [{ type: "error", message: "gone", level: 5 }],
      ["type", "state", 'The answer says that "type" is "error".', "gone"]
    ],
    [
      [{ name: "RESOURCE_NOT_FOUND", message: "gone" }],
      ["name", "alone", 'The answer says that "name" is "RESOURCE_NOT_FOUND".', "gone"]
    ],
    [[{ name: "ANNA_SMITH", message: "hello" }], null],
    [[{ name: "Not_Found", message: "gone" }], null],
    [[{ code: 404, message: "gone" }], ["code", "alone", 'The answer says that "code" is 404.', "gone"]],
    [[{ code: 404 }], null],
    [[{ code: 404, message: "gone", a: 1 }], null],
    [[{ code: 404, message: "gone", data: 1 }], ["code", "", 'The answer says that "code" is 404.', "gone"]],
    [[{ code: 404, message: "gone", request_id: 1 }], ["code", "alone", 'The answer says that "code" is 404.', "gone"]],
    [[{ code: 404, message: "ok" }], ["code", "state,alone", 'The answer says that "code" is 404.', "ok"]],
    [[{ code: 7, message: "ok" }], null],
    [
      [{ code: 404, message: "Order created" }, "create_order"],
      ["code", "state,alone", 'The answer says that "code" is 404.', "Order created"]
    ],
    [[{ code: 7, message: "Order created" }, "create_order"], null],
    [[{ code: 7, message: "hello" }], ["code", "state,alone", 'The answer says that "code" is 7.', "hello"]],
    [
      [{ code: 7, message: "user not found" }],
      ["code", "alone", 'The answer says that "code" is 7.', "user not found"]
    ],
    [[{ code: 7, message: "cannot" }], ["code", "alone", 'The answer says that "code" is 7.', "cannot"]],
    [[{ code: -7, message: "hello" }], ["code", "alone", 'The answer says that "code" is -7.', "hello"]],
    [[{ code: 1000, message: "hello" }], ["code", "alone", 'The answer says that "code" is 1000.', "hello"]],
    [[{ code: 999, message: "hello" }], ["code", "state,alone", 'The answer says that "code" is 999.', "hello"]],
    [[{ code: 20000, message: "hello" }], null],
    [[{ code: 10000, message: "hello" }], null],
    [[{ code: 0, message: "hello" }], null],
    [[{ code: 200, message: "hello" }], null],
    [[{ code: 299, message: "hello" }], null],
    [[{ code: 300, message: "hello" }], ["code", "state,alone", 'The answer says that "code" is 300.', "hello"]],
    [[{ code: 199, message: "hello" }], ["code", "state,alone", 'The answer says that "code" is 199.', "hello"]],
    [[{ code: "1000", message: "hello" }], ["code", "alone", 'The answer says that "code" is "1000".', "hello"]],
    [
      [{ code: "INVALID_DATE", message: "hello" }],
      ["code", "alone", 'The answer says that "code" is "INVALID_DATE".', "hello"]
    ],
    [[{ code: "INVALID_DATE", message: "hello", status: "ok" }], null],
    [[{ code: true, message: "hello" }], null],
    [[{ ret: -1, msg: "hello" }], ["ret", "alone", 'The answer says that "ret" is -1.', "hello"]],
    [
      [{ retcode: 7, n: 1 }, "", true],
      ["retcode", "", 'The answer says that "retcode" is 7.', 'The answer says that "retcode" is 7.']
    ],
    [[{ retcode: 7, n: 1 }], null],
    [[{ code: 7, msg: " " }], null],
    [[{ code: 404, reason: "gone" }], ["code", "alone", 'The answer says that "code" is 404.', "gone"]],
    [
      [{ data: { ok: false } }],
      ["data.ok", "bare,alone", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']
    ],
    [
      [{ data: { data: { data: { data: { ok: false } } } } }],
      [
        "data.data.data.data.ok",
        "bare,alone",
        'The answer says that "ok" is false.',
        'The answer says that "ok" is false.'
      ]
    ],
    [[{ data: { data: { data: { data: { data: { ok: false } } } } } }], null],
    [
      [{ a: { userErrors: ["gone"] }, b: { n: 1 } }],
      ["a.userErrors", "alone", 'The answer has "userErrors".', 'The answer has "userErrors".']
    ],
    [[{ a: { userErrors: [] }, b: { n: 1 } }], null],
    [
      [{ a: { n: 1 }, b: { user_errors: ["gone"] } }],
      ["b.user_errors", "alone", 'The answer has "user_errors".', 'The answer has "user_errors".']
    ],
    [
      [{ userErrors: ["gone"], a: 1 }],
      ["userErrors", "alone", 'The answer has "userErrors".', 'The answer has "userErrors".']
    ],
    [[{ data: { data: { a: { userErrors: ["gone"] }, b: { n: 1 } } } }], null],
    [
      [{ data: { a: { userErrors: ["gone"] }, b: { n: 1 } } }],
      ["data.a.userErrors", "alone", 'The answer has "userErrors".', 'The answer has "userErrors".']
    ],
    [
      [{ ...many, ok: false }],
      ["ok", "bare", 'The answer says that "ok" is false.', 'The answer says that "ok" is false.']
    ],
    [
      [{ ...many, status: "error", id: 5 }],
      ["status", "state", 'The answer says that "status" is "error".', 'The answer says that "status" is "error".']
    ],
    [
      [{ ...many, status: "error", message: "gone" }],
      ["status", "", 'The answer says that "status" is "error".', "gone"]
    ],
    [[{ ["e".repeat(30) + "_usererrors"]: ["gone"] }], null],
    [
      [{ ["e".repeat(29) + "_usererrors"]: ["gone"] }],
      [
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeee_usererrors",
        "alone",
        'The answer has "eeeeeeeeeeeeeeeeeeeeeeeeeeeee_usererrors".',
        'The answer has "eeeeeeeeeeeeeeeeeeeeeeeeeeeee_usererrors".'
      ]
    ],
    [[[1]], null],
    [[null], null],
    [[new Uint8Array([1])], null],
    [[{ valid: false, error: "gone" }], ["error", "", 'The answer says that "error" is "gone".', "gone"]],
    [[{ error: "x", message: "3 errors" }], ["error", "alone", 'The answer says that "error" is "x".', "x; 3 errors"]],
    [[{ ok: false, note: "a b" }], ["ok", "bare,alone", 'The answer says that "ok" is false.', "a b"]],
    [[{ error: "a b c" }], ["error", "alone", 'The answer says that "error" is "a b c".', "a b c"]],
    [[{ error: "a.b" }], ["error", "alone", 'The answer has "error".', "a.b"]],
    [
      [{ error: "x".repeat(20) }],
      ["error", "alone", 'The answer says that "error" is "xxxxxxxxxxxxxxxxxxxx".', "xxxxxxxxxxxxxxxxxxxx"]
    ],
    [[{ error: "x".repeat(21) }], ["error", "alone", 'The answer has "error".', "xxxxxxxxxxxxxxxxxxxxx"]]
  ] as ReadonlyArray<readonly [readonly [unknown, string?, boolean?], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer, tool, isLoose] = given
      assert.deepStrictEqual(asJson(read(answer, tool, isLoose)), expected)
    })
})
