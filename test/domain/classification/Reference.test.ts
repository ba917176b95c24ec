/** Tests whether the arguments of a call name the thing that an error reports as missing or wrong. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "#domain/classification/Classification"
import { diagnose, type Diagnosis } from "#domain/classification/codes/Diagnosis"
import { collect } from "#domain/classification/Collector"
import { resolve } from "#domain/classification/Reference"

const long = (length: number): string => "x".repeat(length)
const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : { a: nested(depth - 1, value) })
const codeWith = (diagnosis: Diagnosis) => (error: unknown, args?: unknown) =>
  resolve(diagnosis, collect(error, { access: "read", arguments: args })).code

const describeArgs = (args: unknown): string =>
  (
    JSON.stringify(args, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value)) ?? "no arguments"
  ).slice(0, 80)

const missing = codeWith(diagnose("unknown_reference"))
const isNamed = (error: unknown, args: unknown): boolean => missing(error, args) === "unknown_reference"
const gone = "Item AB-7 was not found in list 2"

const named: ReadonlyArray<readonly [error: unknown, args: unknown]> = [
  [gone, { a: "AB-7" }],
  [gone, { a: "ab-7" }],
  [gone, [["AB-7"]]],
  [gone, nested(8, "AB-7")],
  [gone, [...Array.from({ length: 63 }, () => "zz"), "AB-7"]],
  [gone, { a: "x,AB-7;y" }],
  [gone, { a: "x , AB-7" }],
  ["7 was not found in list 2", { a: 7 }],
  ["7 was not found in list 2", { a: 7n }],
  ["7 was not found in list 2", { a: "7" }],
  ["The list does not contain 7", { a: 7 }],
  ["XAB-7 and AB-7 were not found in list 2", { a: "AB-7" }],
  ["ab was not found in list 2", { a: "ab" }],
  ["line 1 ab\nthe item was not found: AB-7 in list 2", { a: "AB-7" }],
  ["no file '/srv/data/report.txt' found", { a: "/home/report.txt" }],
  ["no file '/srv/data/report.txt' found", { a: String.raw`C:\home\report.txt` }],
  ["no such file: report.txt", { a: "the file report.txt of today" }],
  ["no such file: rep", { a: "the file rep of today" }],
  ["unknown field: cost", { a: "select cost from t" }],
  ["relation 'custmer' is not known", { a: "select * from custmer" }],
  ["cannot find /srv/a.txt today", { a: "cat /srv/a.txt | wc" }],
  ["/srv/a.txt was not found today", { a: "cat /srv/a.txt | wc" }],
  ["getaddrinfo ENOTFOUND api.example", { a: "https://api.example/x" }],
  ["could not resolve host: api.example", { a: "https://api.example/x" }],
  ["could not resolve 'api.example today", { a: "https://api.example/x" }],
  ["could not resolve hostname api.example: Name or service not known", { a: "https://api.example/x" }],
  ["could not resolve host 'api.example", { a: "https://api.example/x" }],
  ["could not resolve host:   api.example", { a: "https://api.example/x" }],
  [{ message: "x", path: "/SRV/a.txt" }, { a: "cat /srv/A.txt" }],
  [{ message: "x", url: "https://a.example/O-7" }, { a: "o-7" }],
  [{ message: "x", path: "/srv/a%20b.txt" }, { a: "a b.txt" }],
  [{ message: "x", path: "/srv/a%2fb.txt" }, { a: "a/b.txt" }],
  ["user not found in list 2", { user: 1 }],
  ["user not found in list 2", { user_id: 1 }],
  ["user not found in list 2", { "user-id": 1 }],
  ["user not found in list 2", { theUser: 1 }],
  ["user not found in list 2", { b: { c: { d: { e: { user: 1 } } } } }],
  ["user id could not be found in list 2", { user: 1 }],
  ["no such order in list 2", { order: 1 }],
  ["no_such_order in list 2", { order: 1 }],
  ["no matching order and no such user", { id: 1, user: 1 }],
  ["The user was not found.", { x: 1 }],
  ["  user not found", { x: 1 }],
  ["error: the item was not found", { x: 1 }],
  ["could not find the exact text", { x: 1 }],
  ["订单不存在", { x: 1 }],
  ["Tool 'AB-7' failed: item AB-7 was not found", { a: "AB-7" }]
]

const unnamed: ReadonlyArray<readonly [error: unknown, args: unknown]> = [
  [gone, { a: "AB-8" }],
  [gone, { a: "B-7" }],
  [gone, { a: "AB-" }],
  [gone, { a: null }],
  [gone, { a: true }],
  [gone, {}],
  [gone, "a"],
  [gone, null],
  [gone, nested(9, "AB-7")],
  [gone, [...Array.from({ length: 64 }, () => "zz"), "AB-7"]],
  [gone, { a: `${long(2000)} AB-7` }],
  ["a b was not found in list 2", { a: "b" }],
  ["the list has no a", { x: "a" }],
  ["XAB-7 was not found in list 2", { a: "AB-7" }],
  ["AB-7X was not found in list 2", { a: "AB-7" }],
  ["the item AB-7 is odd\nthe other was not found in list 2", { a: "AB-7" }],
  ["no file '/srv/data/report.txt' found", { a: "/home/other.txt" }],
  ["no file '/srv/data/ab' found", { a: "/home/ac" }],
  ["relation 'ab' is not known", { a: "select * from zab" }],
  ["relation 'ab' is not known", { a: "select ab from t" }],
  ["Error searching for 'AB-7': no such table: project", { a: "AB-7" }],
  ["tool 'AB-7' was not found in list 2", { a: "AB-7" }],
  ["user not found in list 2", { name: 1 }],
  ["user not found in list 2", { users: 1 }],
  ["user not found in list 2", { b: { c: { d: { e: { f: { user: 1 } } } } } }],
  ["unknown user: x", { user: 1 }],
  ["The module was not found.", { x: 1 }],
  ["The user was not found.", {}],
  ["The user was not found.", null],
  ["The user was not found.", "x"],
  ["could not resolve host: api.example", { a: "https://host.example/x" }],
  ["http:/srv/a.txt was not found in list 2", { a: "cat /srv/a.txt | wc" }],
  [{ message: "x", path: "/srv/a.txt" }, { a: "cat /srv/b.txt" }]
]

describe("the thing that is missing", () => {
  for (const [error, args] of named)
    it(`3 is named: ${JSON.stringify(error)} with ${describeArgs(args)}`, () => assert.isTrue(isNamed(error, args)))

  for (const [error, args] of unnamed)
    it(`3 is not named: ${JSON.stringify(error)} with ${describeArgs(args)}`, () =>
      assert.isFalse(isNamed(error, args)))

  it("3 is an error of the arguments if they are not known, and otherwise has the code of the row", () => {
    assert.strictEqual(missing(gone), "unknown_reference")
    assert.strictEqual(missing(gone, {}), "not_found")
    const software = codeWith({ ...diagnose("unknown_reference"), otherwise: "missing_software" })
    assert.strictEqual(software(gone, {}), "missing_software")
    assert.strictEqual(software(gone, { a: "AB-7" }), "unknown_reference")
  })
})

describe("the URL that is wrong", () => {
  const wrong = codeWith({ ...diagnose("invalid_request"), otherwise: "misconfigured" })
  const blamed: ReadonlyArray<readonly [error: unknown, args: unknown]> = [
    ["Invalid URL", undefined],
    ["Invalid URL", { a: "ftp:x" }],
    ["Invalid URL", { a: "x", b: "https://a.example" }],
    ["Invalid URL http://a.example/x", { a: "http://a.example/y" }],
    ["Invalid URL http://A.example/x?y", { a: "http://a.example" }],
    ["Invalid URL http://a.example:80/x", { a: "a.example" }],
    ["Invalid URL http://a.example/x", { a: "http://a" }],
    ["Invalid URL http://b.example/x or http://a.example/x", { a: "http://a.example" }],
    [{ message: "Invalid URL", url: "HTTP://a.example#x" }, { a: "http://a.example/y" }],
    [{ message: "Invalid URL", url: "a.example" }, { a: "a.example/y" }]
  ]
  const notBlamed: ReadonlyArray<readonly [error: unknown, args: unknown]> = [
    ["Invalid URL", { a: "a.example" }],
    ["Invalid URL", {}],
    ["Invalid URL http://a.example/x", { a: "http://b.example/x" }],
    ["Invalid URL http://a.example/x", { a: "b" }],
    ["Invalid URL http://a.example/x", { a: "ple" }],
    ["Invalid URL http://a.example/x", { a: "see http://b.example" }]
  ]
  for (const [error, args] of blamed)
    it(`3 is in the arguments: ${JSON.stringify(error)} with ${describeArgs(args)}`, () =>
      assert.strictEqual(wrong(error, args), "invalid_request"))

  for (const [error, args] of notBlamed)
    it(`3 is not in the arguments: ${JSON.stringify(error)} with ${describeArgs(args)}`, () =>
      assert.strictEqual(wrong(error, args), "misconfigured"))

  it("3 only an invalid request is blamed on any URL, and a diagnosis without another code is returned", () => {
    const state = codeWith({ ...diagnose("wrong_state"), otherwise: "misconfigured" })
    assert.strictEqual(state("It is odd", { a: "ftp:x" }), "misconfigured")
    assert.strictEqual(state("It is odd: ab", { a: "ab" }), "wrong_state")
    assert.strictEqual(codeWith(diagnose("wrong_state"))("It is odd", { a: "x" }), "wrong_state")
  })

  it("3 a file name that the error resolves to another folder is the arguments' file", () => {
    const of = (file: string) =>
      classify({ code: "ENOENT", path: "/srv/a/x.txt" }, { access: "read", arguments: { file } })
    assert.deepStrictEqual(
      [of("x.txt").code, of("a/x.txt").code, of("y.txt").code],
      ["unknown_reference", "unknown_reference", "not_found"]
    )
  })
})
