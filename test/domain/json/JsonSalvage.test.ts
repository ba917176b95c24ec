import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as JsonText from "#domain/json/JsonText"
import * as Steps from "#domain/json/Steps"

const salvage = (...input: Parameters<typeof JsonText.salvage>) => Steps.whole(JsonText.salvage(...input))
const limits = JsonText.resultLimits
const page = {
  page: 2,
  data: {
    total: 40,
    orders: [
      { id: "A", tags: ["x", "]"] },
      { id: "B", tags: [] },
      { id: "C", tags: ["y"] }
    ],
    after: 1
  },
  meta: { took: 3 }
}

describe("JsonText.salvage", () => {
  it("4.9 keeps the complete rows of a cut array and the complete fields before it", () => {
    const text = `{"page":1,"total":47,"orders":[{"id":1,"cents":5},{"id":2,"cents":6},{"id":3,"ce`
    assert.deepStrictEqual(salvage(text, ["orders"], limits), {
      rows: [
        { id: 1, cents: 5 },
        { id: 2, cents: 6 }
      ],
      prefix: { page: 1, total: 47 },
      lastField: "orders[2].id",
      position: text.indexOf(`,{"id":3`)
    })
  })

  it("4.9 keeps complete fields after the array if the text is cut after them", () => {
    const text = JSON.stringify(page)
    assert.deepStrictEqual(salvage(text.slice(0, text.indexOf(`"meta"`)), ["data", "orders"], limits), {
      rows: page.data.orders,
      prefix: { page: 2, data: { total: 40, after: 1 } },
      lastField: "data.after",
      position: text.indexOf(`,"meta"`)
    })
  })

  it("4.9 keeps rows of a root array, and a number only if something follows it", () => {
    assert.deepStrictEqual(salvage(`\ufeff[10,20,30`, [], limits), {
      rows: [10, 20],
      prefix: undefined,
      lastField: "[1]",
      position: 7
    })
  })

  it("4.9 recovers nothing from a text that is complete, invalid, too deep, or has no complete row", () => {
    for (const text of [
      `{"orders":[{"id":1}]}`,
      `{"orders":[{"id":1},,`,
      `{"orders":[{"id":1},{"__proto__":{}},{"id`,
      `{"orders":[{"id":1},${"[".repeat(300)}`,
      `{"orders":[{"id":1`,
      `{"orders":[],"page":1,"x`,
      `{"page":1,"or`,
      `{"orders":{"id":1},"x`,
      `{"orders":[{"id":1}],"orders":7,"x`,
      `Error: 503`,
      ``
    ]) {
      assert.isUndefined(salvage(text, ["orders"], limits), text)
    }
    assert.isUndefined(salvage(`{"a":{"constructor":[1,2`, ["toString"], limits))
  })

  it("4.9 keeps only complete leading rows wherever an answer is cut", () => {
    const text = JSON.stringify(page)
    let most = 0
    for (let i = 1; i < text.length; i++) {
      const kept = salvage(text.slice(0, i), ["data", "orders"], limits)
      if (kept === undefined) {
        assert.strictEqual(most, 0, text.slice(0, i))
        continue
      }
      assert.deepStrictEqual(kept.rows, page.data.orders.slice(0, kept.rows.length))
      assert.isAtLeast(kept.rows.length, most)
      most = kept.rows.length
      const whole = JsonText.withRows(kept.prefix, ["data", "orders"], kept.rows) as typeof page
      assert.strictEqual(whole.page, 2)
      assert.deepStrictEqual(whole.data.orders, kept.rows)
      assert.isTrue(Result.isSuccess(JsonText.parse(JSON.stringify(whole), limits)))
    }
    assert.strictEqual(most, 3)
  })

  it("4.9 puts rows back in place without changing the prefix", () => {
    const prefix = { page: 1, data: { total: 3 } }
    assert.deepStrictEqual(JsonText.withRows(prefix, ["data", "orders"], [1]), {
      page: 1,
      data: { total: 3, orders: [1] }
    })
    assert.deepStrictEqual(JsonText.withRows(undefined, [], [1]), [1])
    assert.deepStrictEqual(prefix, { page: 1, data: { total: 3 } })
  })

  it("4.9 recovers nothing from a text over the limit, without a complete value, or with another value at the path", () => {
    const text = `{"orders":[1,2],"page":1,"x`
    const within = (maxBytes: number) => salvage(text, ["orders"], { maxBytes, maxDepth: 9 })
    assert.deepStrictEqual(within(text.length)?.rows, [1, 2])
    assert.isUndefined(within(text.length - 1))
    for (const [cut, path] of [
      [`"abc`, ["orders"]],
      [`"abc`, []],
      [`tru`, []],
      [`[[`, []],
      [`{"data":null,"x`, ["data", "orders"]],
      [`{"data":[[1]],"x`, ["data", "0"]],
      [`[[1,2],[3`, ["orders"]]
    ] as const)
      assert.isUndefined(salvage(cut, path, limits), cut)
  })
})
