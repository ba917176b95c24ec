import { errorOf, flagIn, sentenceOf } from "#domain/answers/FailureFlag"
import { assert, describe, it } from "@effect/vitest"

const data = { rows: [{ n: 1 }] }

describe("FailureFlag", () => {
  for (const [answer, path] of [
    [{ ok: false, data }, "ok"],
    [{ success: false, data }, "success"],
    [{ success: "false", data }, "success"],
    [{ Success: "False", data }, "Success"],
    [{ success: 0, data }, "success"],
    [{ failed: true, data }, "failed"],
    [{ error: true, data }, "error"],
    [{ error: "no such user", data }, "error"],
    [{ error: { code: "card_declined" }, data }, "error"],
    [{ data, errors: [{ message: "Not allowed" }] }, "errors"],
    [{ data, errors: { email: ["is taken"] } }, "errors"],
    [{ status: "error", data }, "status"],
    [{ status: "FAILED", data }, "status"],
    [{ status: false, message: "Invalid key", data }, "status"],
    [{ statusCode: 500, body: data }, "statusCode"],
    [{ errcode: 40_013, errmsg: "invalid appid", data }, "errcode"],
    [{ error_code: "110", data }, "error_code"],
    [{ code: 500, msg: "内部错误", data: null }, "code"],
    [{ code: 99_991, message: "no permission", data, request_id: "r-1" }, "code"],
    [{ data: { create: { user: null, errors: [{ message: "taken" }] } } }, "data.create.errors"],
    [{ status: "failed", id: "p-1", ok: false }, "ok"]
  ] as const) {
    it(`3.3 ${JSON.stringify(answer)} states a failure in ${path}`, () => {
      const flag = flagIn(answer)
      assert.strictEqual(flag?.path.join("."), path)
      assert.strictEqual(flag?.isState, false)
    })
  }

  for (const answer of [
    { id: "p-1", status: "failed", amount: 5 },
    { id: "j-1", state: "done", error: "exit code 1" },
    { uuid: "u-1", failed: true }
  ]) {
    it(`3.3 in ${JSON.stringify(answer)} the failure is the state of an entity`, () =>
      assert.strictEqual(flagIn(answer)?.isState, true))
  }

  for (const answer of [
    { ok: true, data },
    { success: 1 },
    { success: "true" },
    { error: null, data },
    { error: "", errors: [], data },
    { error: { code: 0, message: "ok" }, data },
    { error: "none" },
    { errors: 3, fixed: 7 },
    { failed: 3, total: 10 },
    { status: "ok" },
    { status: "closed" },
    { status: 200 },
    { errcode: 0, errmsg: "ok" },
    { code: 0, msg: "success", data },
    { code: 200, message: "created", data },
    { code: 1, msg: "操作成功", data },
    { code: 7, message: "hello", voucher: "A" },
    { code: "AB12", message: "hello" },
    { code: 12 },
    { rows: [{ ok: false }] },
    { a: { ok: false }, b: 1 },
    [{ ok: false }],
    new Uint8Array([1]),
    "ok: false",
    null
  ]) {
    it(`3.4 ${JSON.stringify(answer)} states no failure`, () => assert.isUndefined(flagIn(answer)))
  }

  it("3.3 quotes the answer's statement about itself, and none of its data", () => {
    const words = (answer: object): string => {
      const flag = flagIn(answer)
      return flag === undefined ? "" : errorOf(flag).message
    }
    assert.strictEqual(words({ ok: false, message: "partly applied", data: { message: "hello" } }), "partly applied")
    assert.strictEqual(words({ ok: false, data: { message: "hello" } }), 'The answer says that "ok" is false.')
    assert.strictEqual(words({ n: 1, errcode: 7 }), 'The answer says that "errcode" is 7.')
    const flag = flagIn({ n: 1, error: { at: "x".repeat(900) } })
    assert.strictEqual(flag === undefined ? "" : sentenceOf(flag), 'The answer has "error".')
  })
})
