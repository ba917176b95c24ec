/** Tests which fields of a declared refusal a model reads, and how they are shortened. */
import { assert, describe, it } from "@effect/vitest"
import * as RefusalDetails from "#domain/envelope/RefusalDetails"
import * as Failure from "#domain/failure/Failure"

const fields = { tool: "reserve", code: "out_of_stock", hint: "", sideEffect: "none", traceId: "t" } as const

const refused = (refusal: unknown, detail = "It is out of stock.", more: { readonly sideEffect?: "unknown" } = {}) =>
  new Failure.Permanent({ ...fields, detail, refusal: refusal as null, ...more })

/** Returns the length of details in an envelope. */
const lengthOf = (details: object) => `,"details":${JSON.stringify(details)}`.length

describe("RefusalDetails", () => {
  it("3.5 has the fields of a declared refusal, without its tag and a message that the model reads", () => {
    const sku = { sku: "A-1", _tag: "OutOfStock" }
    for (const [failure, details] of [
      [refused(sku), { sku: "A-1" }],
      [refused({ _tag: "OutOfStock" }), {}],
      [refused({ ...sku, message: "It is out of stock." }), { sku: "A-1" }],
      [refused({ ...sku, message: "It is \n out of stock. " }), { sku: "A-1" }],
      [refused({ ...sku, message: "Another sentence." }), { sku: "A-1", message: "Another sentence." }],
      [refused({ ...sku, message: 7 }, "7"), { sku: "A-1", message: 7 }],
      [refused({ ...sku, note: "It is out of stock." }), { sku: "A-1", note: "It is out of stock." }],
      [new Failure.ToolArgError({ ...fields, detail: "No.", refusal: sku }), { sku: "A-1" }],
      // these are not declared refusals with fields
      [refused(sku, "It failed.", { sideEffect: "unknown" }), undefined],
      [refused(["A-1"]), undefined],
      [refused("A-1"), undefined],
      [new Failure.Permanent({ ...fields, detail: "No." }), undefined],
      [new Failure.Transient({ ...fields, detail: "No." }), undefined]
    ] as const)
      assert.deepStrictEqual(RefusalDetails.of(failure), details)
  })

  it("5.5 a field is whole if it fits, and otherwise the beginning of a text or the size of a value", () => {
    const long = "x".repeat(150)
    const list = Array.from({ length: 80 }, (_, index) => index)
    const object = Object.fromEntries(list.map((index) => [`k${index}`, index]))
    for (const [value, room, shown] of [
      // `,"details":{"a":…,}` takes 18 characters.
      [long, 29, undefined],
      [long, 30, `${"x".repeat(9)}…`],
      [long, 118, `${"x".repeat(97)}…`],
      [long, 500, `${"x".repeat(97)}…`],
      ["x".repeat(98), 500, "x".repeat(98)],
      ["x".repeat(99), 500, `${"x".repeat(97)}…`],
      ["ok", 22, "ok"],
      ["ok", 21, undefined],
      ["", 20, ""],
      ["", 19, undefined],
      [[1, 2], 23, [1, 2]],
      [[1, 2], 22, undefined],
      [12_345, 23, 12_345],
      [12_345, 22, undefined],
      [null, 22, null],
      [list, 31, "array of 80"],
      [list, 30, undefined],
      [list, 500, "array of 80"],
      [object, 32, "object of 80"],
      [object, 31, undefined],
      [Array.from({ length: 49 }, () => 1), 500, Array.from({ length: 49 }, () => 1)],
      [Array.from({ length: 50 }, () => 1), 500, "array of 50"]
    ] as const)
      assert.deepStrictEqual(
        RefusalDetails.fit({ a: value }, room),
        shown === undefined ? {} : { a: shown },
        `${JSON.stringify(value).slice(0, 20)} ${room}`
      )
  })

  it("5.5 the fields together fit the room, in their order, and a field that does not fit leaves room for others", () => {
    const details = { item: "x".repeat(60), list: [1, 2, 3], big: "y".repeat(300), n: null, é: "ok" }
    const lists = Array.from({ length: 320 }, (_, room) => RefusalDetails.fit(details, room))
    for (const [room, shown] of lists.entries()) {
      assert.isAtMost(lengthOf(shown), Math.max(room, lengthOf({})))
      assert.deepStrictEqual(
        Object.keys(shown),
        Object.keys(details).filter((name) => name in shown)
      )
    }
    assert.deepStrictEqual(lists[30], { list: [1, 2, 3] })
    assert.deepStrictEqual(lists[60], { item: `${"x".repeat(36)}…` })
    assert.deepStrictEqual(lists[319], { ...details, big: `${"y".repeat(97)}…` })
  })
})
