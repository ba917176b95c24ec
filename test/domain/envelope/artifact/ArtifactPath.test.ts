/** Tests parsing and formatting of paths into stored results, and the messages for paths that do not exist. */
import * as ArtifactPath from "#domain/envelope/artifact/ArtifactPath"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const steps = (path: string) => Result.getOrElse(ArtifactPath.parse(path), (missing) => missing)

const whole = {
  orders: [{ id: "O-1", cents: 900, "odd name": { x: 1 } }, { id: "O-2" }],
  page: 1,
  "": "empty name",
  10: "ten",
  none: [],
  nothing: {}
}

const found = (path: string, value: unknown = whole) =>
  Result.getOrElse(
    Result.flatMap(ArtifactPath.parse(path), (steps) => ArtifactPath.find(value, steps)),
    (missing) => missing
  )

describe("ArtifactPath", () => {
  it("4.14 reads paths as errors show them, and variants that models write", () => {
    assert.deepStrictEqual(steps(""), [])
    assert.deepStrictEqual(steps("$"), [])
    assert.deepStrictEqual(steps(" orders[10].cents "), ["orders", 10, "cents"])
    assert.deepStrictEqual(steps("$.orders[0]"), ["orders", 0])
    assert.deepStrictEqual(steps("$[0]"), [0])
    assert.deepStrictEqual(steps("$ref.a"), ["$ref", "a"])
    assert.deepStrictEqual(steps('orders[0]["odd name"].x'), ["orders", 0, "odd name", "x"])
    assert.deepStrictEqual(steps('["a\\"]b"]'), ['a"]b'])
    assert.deepStrictEqual(steps("orders.0.id"), ["orders", "0", "id"])
    assert.deepStrictEqual(steps("größe.日本"), ["größe", "日本"])
    assert.deepStrictEqual(steps("[-1]"), [-1])
  })

  it("4.14 names the first invalid part of a path", () => {
    const unread = (rest: string) =>
      `The path is not valid from ${JSON.stringify(rest)} on; write it like orders[10].cents.`
    assert.strictEqual(steps("orders..id"), unread("..id"))
    assert.strictEqual(steps("orders[ten]"), unread("[ten]"))
    assert.strictEqual(steps("orders[*].id"), unread("[*].id"))
    assert.strictEqual(steps('["open'), unread('["open'))
    assert.strictEqual(steps('["\\q"]'), unread('["\\q"]'))
    assert.strictEqual(steps("orders."), unread("."))
    assert.strictEqual(steps(`[${"x".repeat(1_000)}`), unread(`[${"x".repeat(38)}…`))
  })

  const Steps = Schema.Array(Schema.Union([Schema.String, Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))]))
  it.prop("4.14 parse reads what format writes", [Steps], ([path]) => {
    const read = Result.getOrThrow(ArtifactPath.parse(ArtifactPath.format(path)))
    assert.deepStrictEqual(read.map(String), path.map(String))
  })

  it("4.14 follows only own fields", () => {
    assert.strictEqual(found("orders[0].cents"), 900)
    assert.strictEqual(found("orders.1.id"), "O-2")
    assert.strictEqual(found('orders[0]["odd name"].x'), 1)
    assert.strictEqual(found('[""]'), "empty name")
    assert.strictEqual(found("[10]"), "ten")
    assert.strictEqual(found(""), whole)
    assert.strictEqual(found("__proto__.polluted", JSON.parse('{"__proto__":{"polluted":1}}')), 1)
    assert.deepStrictEqual(found("list.toString", { list: "x" }), "list.toString does not exist: list has no parts.")
    for (const name of ["__proto__", "constructor", "hasOwnProperty"]) {
      assert.strictEqual(found(name), `${name} does not exist; the result has: 10, orders, page, "", none, nothing.`)
    }
  })

  it("4.14 names the nearest paths that exist", () => {
    assert.strictEqual(found("order"), "order does not exist; nearest: orders.")
    assert.strictEqual(found("orders[0].cent"), "orders[0].cent does not exist; nearest: orders[0].cents.")
    assert.strictEqual(found("orders[1].total"), "orders[1].total does not exist; orders[1] has: id.")
    assert.strictEqual(found("nothing.x"), "nothing.x does not exist: nothing is empty.")
    assert.strictEqual(found("page.x"), "page.x does not exist: page has no parts.")
  })

  it("4.14 quotes only names that a path could not contain otherwise", () => {
    assert.strictEqual(ArtifactPath.format(["$ref", "$ref", "price$"]), '["$ref"].$ref.price$')
    assert.strictEqual(ArtifactPath.format(["price$"]), "price$")
    assert.strictEqual(ArtifactPath.format([0, "a", 1, "odd name", ""]), '[0].a[1]["odd name"][""]')
  })

  it("4.14 a place below a value without parts is named up to the first missing part", () => {
    assert.strictEqual(found("a.b.c.d", { a: { b: null } }), "a.b.c does not exist: a.b has no parts.")
    assert.strictEqual(found("a", 5), "a does not exist: the result has no parts.")
  })

  it("4.14 an index may be written as a name of digits", () => {
    const list = Array.from({ length: 12 }, (_, n) => n)
    assert.strictEqual(found("11", list), 11)
    for (const name of ["1x", "x1", "-1", "1.5"]) assert.match(String(found(`["${name}"]`, list)), /is a list of 12/)
  })

  it("4.14 an object shows ten of its names, and how many more it has", () => {
    const names = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`row_${at}`, at]))
    assert.match(String(found("zzz", names(10))), /row_9\.$/)
    assert.match(String(found("zzz", names(11))), /row_9 \(\+1 more\)\.$/)
  })

  it("4.14 says how many elements a list has", () => {
    assert.strictEqual(found("orders[2]"), "orders[2] does not exist: orders is a list of 2, orders[0] to orders[1].")
    assert.strictEqual(found("orders[-1]"), "orders[-1] does not exist: orders is a list of 2, orders[0] to orders[1].")
    assert.strictEqual(found("orders.id"), "orders.id does not exist: orders is a list of 2, orders[0] to orders[1].")
    assert.strictEqual(found("none[0]"), "none[0] does not exist: none is a list of 0.")
    assert.strictEqual(found("[0]", []), "[0] does not exist: the result is a list of 0.")
    assert.match(String(found(`orders[${"9".repeat(400)}]`)), /is a list of 2, orders\[0\] to orders\[1\]\.$/)
  })

  it("4.14 a path of 10,000 levels is followed, or refused in one short line", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`) as unknown
    const path = Array.from({ length: 10_000 }, () => "a").join(".")
    assert.strictEqual(found(path, deep), 1)
    const missing = String(found(`${path}.b`, deep))
    assert.isBelow(missing.length, 400)
    assert.match(missing, /has no parts\.$/)
  })

  it("4.14 messages stay short, whatever the names are", () => {
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${"name".repeat(50)}${n}`, n]))
    assert.isBelow(String(found("zzz", names)).length, 600)
    assert.isBelow(String(found("namename", names)).length, 600)
  })

  it("4.14 compares only the first 10,000 names of an object", () => {
    const names = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`row_${at}`, at]))
    assert.include(String(found("totall", { ...names(9_999), total: 1 })), "nearest: total")
    assert.match(String(found("totall", { ...names(10_000), total: 1 })), /has: row_0, .* \(\+9991 more\)\.$/)
  })
})
