/** Tests the tokens that are found in texts, the words that are removed from them, and the line that becomes a detail. */
import { assert, describe, it } from "@effect/vitest"
import { ofCodePattern } from "#domain/classification/CodePattern"
import { collect } from "#domain/classification/Collector"
import { detailOf } from "#domain/classification/Detail"
import { remove } from "#domain/classification/EchoedWords"
import { QuotedError } from "#domain/classification/QuotedError"
import { tokensOf } from "#domain/classification/Tokens"

const long = (length: number): string => "x".repeat(length)

describe("tokens of a text", () => {
  const statuses: ReadonlyArray<readonly [text: string, statuses: ReadonlyArray<number>]> = [
    ["503 Service Unavailable", [503, 503]],
    ["it said 503 Service Unavailable", [503]],
    ["it said 503 service unavailable", [503]],
    ["it said 503 Not Found", []],
    ["it said Service Unavailable (503)", [503]],
    ["it said Not Found (503)", []],
    ["<403> <404> <405> <406>", [403, 404, 405]],
    ["no status", []]
  ]
  for (const [text, expected] of statuses)
    it(`3.1 ${text} has the statuses [${expected.join(", ")}]`, () =>
      assert.deepStrictEqual(tokensOf(text).statuses, expected))

  it("3.1 of each form three codes are read, of names in upper case eight, and of classes twelve", () => {
    const { codes } = tokensOf("[Errno 1] [Errno 2] [Errno 3] [Errno 4]")
    assert.deepStrictEqual(codes, ["errno:1", "errno:2", "errno:3"])
    const upper = Array.from({ length: 9 }, (_, n) => `EA${n}`)
    assert.deepStrictEqual(tokensOf(upper.join(" ")).codes, upper.slice(0, 8))
    const classes = Array.from({ length: 13 }, (_, n) => `OddError${n}`)
    assert.deepStrictEqual(tokensOf(classes.join("\n")).names, classes.slice(0, 12))
  })
})

describe("words that an error repeats", () => {
  const removed: ReadonlyArray<readonly [text: string, args: unknown, words: string]> = [
    ["ticket no space left is closed", { a: "no space left" }, "ticket x is closed"],
    ["ticket no space left is closed", { a: " No Space Left " }, "ticket x is closed"],
    ["ticket no space left is closed", { a: [{ b: "no space left" }] }, "ticket x is closed"],
    ["no space left is closed", { a: "no space left" }, "x is closed"],
    ["ticket no space lefty is closed", { a: "no space left" }, "ticket no space lefty is closed"],
    ["ticket uno space left is closed", { a: "no space left" }, "ticket uno space left is closed"],
    ["uno space left or no space left is odd", { a: "no space left" }, "uno space left or x is odd"],
    ["ticket no  space is closed", { a: "no  space" }, "ticket x is closed"],
    ["ticket busy is closed", { a: "busy" }, "ticket busy is closed"],
    ["no space left on a is closed", { a: "no space", b: "no space left on a" }, "x is closed"],
    ["no space left on a is closed", { b: "no space left on a", a: "no space" }, "x is closed"],
    ["error: no space left", { a: "no space left" }, "error: no space left"],
    ["ticket 满满 is closed", { a: "满满" }, "ticket x is closed"],
    ["ticket 满 is closed", { a: "满" }, "ticket 满 is closed"],
    [`a ${long(198)} is odd`, { a: `a ${long(198)}` }, "x is odd"],
    [`a ${long(199)} is odd`, { a: `a ${long(199)}` }, `a ${long(199)} is odd`],
    ["ticket no space is odd", { a: null, b: 7, c: undefined }, "ticket no space is odd"],
    ["ticket no space is odd", undefined, "ticket no space is odd"],
    ['"no space left" does not exist', undefined, '"x" does not exist'],
    ['column "quota exceeded" is odd', undefined, 'column "x" is odd']
  ]
  for (const [text, args, words] of removed)
    it(`3.1 of ${text.slice(0, 50)}, ${words.slice(0, 50)} is left with ${JSON.stringify(args)?.slice(0, 50)}`, () =>
      assert.strictEqual(remove(text, args), words))

  const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : { a: nested(depth - 1, value) })

  it("3.1 eight levels and 32 values of the arguments are read", () => {
    const text = "ticket no space is odd"
    assert.strictEqual(remove(text, nested(8, "no space")), "ticket x is odd")
    assert.strictEqual(remove(text, nested(9, "no space")), text)
    const values = (length: number) => [...Array.from({ length }, (_, n) => `no ${n}`), "no space"]
    assert.strictEqual(remove(text, values(31)), "ticket x is odd")
    assert.strictEqual(remove(text, values(32)), text)
  })
})

describe("the detail of an error", () => {
  const details: ReadonlyArray<readonly [error: unknown, detail: string]> = [
    ["a\nerror: b", "error: b"],
    ["a\nsee error: b", "a"],
    ["\n\n  a", "a"],
    [`${Array.from({ length: 11 }, (_, n) => `line ${n}`).join("\n")}\nfatal: b`, "fatal: b"],
    [`${Array.from({ length: 12 }, (_, n) => `line ${n}`).join("\n")}\nfatal: b`, "line 0"],
    ["Traceback (most recent call last):\nValueError: a\nKeyError: b\nend", "KeyError: b"],
    [
      "It printed: traceback (most recent call last)\nb\nValueError: c",
      "It printed: traceback (most recent call last)"
    ],
    ["error:", "error:"],
    ["An error occurred in Effect.tryPromise", "The tool failed without an error message."],
    [{ status: 409, message: "An unknown error occurred" }, "HTTP status 409"],
    [{ code: "X_1" }, "The tool failed: X_1"],
    [{ name: "OddError" }, "The tool failed: OddError"],
    [{ _tag: "Odd" }, "The tool failed: Odd"],
    [{ _tag: "Odd", name: "OddError", code: "X_1" }, "The tool failed: X_1"],
    [{ _tag: "Odd", name: "OddError" }, "The tool failed: OddError"],
    [{}, "The tool failed without an error message."],
    ["<br>", "The tool failed without an error message."],
    ["a  <b>b</b>\tc", "a b c"],
    ["StatusCode: failed (GET https://a.example/x?y=1)", "StatusCode: failed (GET)"],
    [long(200), long(200)],
    [long(201), `${long(199)}…`],
    [`\u{1f600}${long(200)}`, `\u{1f600}${long(197)}…`],
    [new QuotedError("Its words.", { message: "x" }), "Its words."]
  ]
  for (const [error, detail] of details)
    it(`3 ${JSON.stringify(error).slice(0, 70)} is reduced to ${JSON.stringify(detail).slice(0, 60)}`, () =>
      assert.strictEqual(detailOf(collect(error, { access: "read" })), detail))
})

describe("codes that no table lists", () => {
  const found: ReadonlyArray<readonly [code: string, diagnosis: string | undefined]> = [
    ["a_lock_timeout", "lock_conflict"],
    ["OrderNotFound", "unknown_reference"],
    ["order.not.found", "unknown_reference"],
    ["OrderNotFoundError", "unknown_reference"],
    ["missing_order", "invalid_request"],
    ["ab_invalid", "invalid_request"],
    ["is_invalid_error", "invalid_request"],
    ["order_timeout_error", "timeout"],
    ["error_timeout_x", undefined],
    ["a_used", undefined],
    ["a_lock", undefined],
    ["_closed", undefined],
    ["a_closed", "wrong_state"],
    ["x_closed!", undefined],
    ["!x_closed", undefined],
    [`${long(73)}_closed`, "wrong_state"],
    [`${long(74)}_closed`, undefined]
  ]
  for (const [code, diagnosis] of found)
    it(`3.1 the code ${code} is ${diagnosis ?? "not recognised"}`, () =>
      assert.strictEqual(ofCodePattern(code)?.code, diagnosis))

  it("3.1 a code has at least six characters", () => {
    assert.strictEqual(ofCodePattern("bad_ab")?.code, "invalid_request")
    assert.isUndefined(ofCodePattern("bad_a"))
  })
})
