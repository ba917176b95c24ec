/** Tests that pages of stored results are bounded, complete together, and not cut within an element or a character. */
import * as ArtifactPage from "#domain/envelope/artifact/ArtifactPage"
import * as ArtifactPath from "#domain/envelope/artifact/ArtifactPath"
import * as Utf8 from "#domain/text/Utf8"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const url = "artifact://00112233445566778899aabbccddeeff"

type Options = Partial<ArtifactPage.Request>

const read = (value: unknown, options: Options = {}) =>
  ArtifactPage.read(value, { resource_url: url, offset: 0, ...options })

const page = (value: unknown, options: Options = {}) => Result.getOrThrow(read(value, options))

const refused = (value: unknown, options: Options) =>
  Result.match(read(value, options), { onSuccess: () => undefined, onFailure: (refused) => refused })

/** Reads all pages of the value at a path by following `next`. */
const pages = (value: unknown, options: Options = {}): ReadonlyArray<ArtifactPage.Page> => {
  const all: Array<ArtifactPage.Page> = []
  for (let next: Options | undefined = options; next !== undefined; next = all.at(-1)?.next) {
    const one = page(value, next)
    assert.isAtMost(Utf8.length(JSON.stringify(one)), 10_240)
    all.push(one)
  }
  return all
}

/** Reads a whole value, page by page and by the paths in `too_large`, and assembles it. */
const everything = (value: unknown, path = ""): unknown => {
  const all = pages(value, path === "" ? {} : { path })
  const [first] = all
  if (first === undefined || first.kind === "value") return first?.data
  if (first.kind === "text") return all.map(({ data }) => data).join("")
  const large = all.flatMap(({ too_large = [] }) => too_large).map((one) => one.path)
  const depth = Result.getOrThrow(ArtifactPath.parse(path)).length
  const lastStep = (one: string) => Result.getOrThrow(ArtifactPath.parse(one))[depth] ?? ""
  if (first.kind === "object") {
    const parts = [
      ...all.flatMap(({ data }) => Object.entries(data as object)),
      ...large.map((one) => [String(lastStep(one)), everything(value, one)] as const)
    ]
    return Object.fromEntries(parts)
  }
  const list = all.flatMap(({ data }) => data as ReadonlyArray<unknown>)
  for (const one of large) list.splice(Number(lastStep(one)), 0, everything(value, one))
  return list
}

const orders = Array.from({ length: 5_000 }, (_, n) => ({ id: `O-${n}`, cents: n * 7, note: `Ticket ${n} 😀 "é"` }))

describe("ArtifactPage", () => {
  it("4.14 pages through a list by its elements, and gives their number", () => {
    const first = page(orders)
    assert.deepInclude(first, { kind: "list", total: 5_000, offset: 0 })
    const rows = first.data as ReadonlyArray<unknown>
    assert.deepStrictEqual(first.next, { resource_url: url, offset: rows.length })
    assert.isAbove(rows.length, 100)
    const all = pages(orders)
    assert.deepStrictEqual(
      all.flatMap(({ data }) => data as ReadonlyArray<unknown>),
      orders
    )
    assert.isUndefined(all.at(-1)?.next)
  })

  it("4.14 reads the value at a path; offset and limit count the elements of that value", () => {
    const value = { result: { orders } }
    const some = page(value, { path: "result.orders", offset: 10, limit: 3 })
    assert.deepStrictEqual(some, {
      kind: "list",
      total: 5_000,
      offset: 10,
      data: orders.slice(10, 13),
      next: { resource_url: url, path: "result.orders", offset: 13, limit: 3 }
    })
    assert.deepStrictEqual(page(value, { path: "result.orders[10].cents" }), {
      kind: "value",
      total: 1,
      offset: 0,
      data: 70
    })
    assert.isUndefined(page(value, { path: "result.orders", offset: 4_990, limit: 10 }).next)
  })

  it("4.14 names the path of a part that fits no page", () => {
    const value = { page: 1, orders, text: "x".repeat(20_000), more: { orders }, last: true }
    assert.deepStrictEqual(page(value), {
      kind: "object",
      total: 5,
      offset: 0,
      data: { page: 1, last: true },
      too_large: [
        { path: "orders", is: "array of 5000" },
        { path: "text", is: "string of 20000 characters" },
        { path: "more", is: "object of 1 member" }
      ]
    })
    assert.deepStrictEqual(everything(value), value)
  })

  it("4.14 lists of large rows, long texts, odd names and deep values can be read completely", () => {
    const long = 'A very long text of é, 😀, "quoting", \\ and \u0000\u001f\ud800. '.repeat(700)
    const values: ReadonlyArray<unknown> = [
      [long, [long], { long }, 1, null, orders.slice(0, 400)],
      Array.from({ length: 100 }, () => long),
      JSON.parse(
        `{"__proto__":${JSON.stringify(orders)},"constructor":{"prototype":1},"a.b[0]":${JSON.stringify(long)}}`
      ),
      { "": long, " ": orders.slice(0, 300), $: long, "[0]": long, '"': long, "é😀": long },
      Object.fromEntries(orders.map((order) => [order.id, order])),
      Array.from({ length: 20_000 }, (_, n) => n),
      [[[[[[[[orders]]]]]]]],
      long
    ]
    for (const value of values) assert.deepStrictEqual(everything(value), value)
  })

  it("4.14 empty values and scalars are one page", () => {
    assert.deepStrictEqual(page([]), { kind: "list", total: 0, offset: 0, data: [] })
    assert.deepStrictEqual(page({}), { kind: "object", total: 0, offset: 0, data: {} })
    assert.deepStrictEqual(page(""), { kind: "text", total: 0, offset: 0, data: "" })
    for (const data of [null, true, 1.5])
      assert.deepStrictEqual(page(data), { kind: "value", total: 1, offset: 0, data })
  })

  it("4.14 an offset past the end is refused with the size, and a path with the place where it is wrong", () => {
    assert.deepStrictEqual(refused(orders, { offset: 5_000 }), {
      field: "offset",
      detail: "offset 5000 is past the end: The result has 5000 elements."
    })
    assert.deepStrictEqual(refused({ rows: "text" }, { path: "rows", offset: 1e15 }), {
      field: "offset",
      detail: "offset 1000000000000000 is past the end: rows has 4 characters."
    })
    assert.deepStrictEqual(refused({ rows: [] }, { path: "rows", offset: 1 })?.field, "offset")
    assert.deepStrictEqual(refused({ n: 1 }, { path: "n", offset: 1 })?.field, "offset")
    assert.deepStrictEqual(refused({ n: 1 }, { path: "m" })?.field, "path")
    assert.deepStrictEqual(refused(orders, { path: "[ten]" }), {
      field: "path",
      detail: 'The path is not valid from "[ten]" on; write it like orders[10].cents.'
    })
  })

  it("4.14 never splits a character, wherever a page begins", () => {
    const text = "😀".repeat(10_000)
    const isWhole = (data: unknown) =>
      !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(String(data))
    for (const offset of [0, 1, 2, 3, 9_999, 19_998, 19_999]) {
      const one = page(text, { offset })
      assert.strictEqual(one.offset, offset - (offset % 2))
      assert.isTrue(isWhole(one.data))
    }
    for (const limit of [1, 2, 3, 4, 5]) {
      const one = page(text, { limit })
      assert.isTrue(isWhole(one.data))
      // a page has at least one whole character, and otherwise at most `limit` code units
      assert.strictEqual(String(one.data).length, Math.max(2, limit - (limit % 2)))
    }
    assert.strictEqual(everything(text), text)
    assert.strictEqual(
      pages(text.slice(0, 100), { limit: 1 })
        .map(({ data }) => data)
        .join(""),
      text.slice(0, 100)
    )
  })

  it("4.14 a name longer than a page is listed as too large and does not block the next page", () => {
    const name = "n".repeat(30_000)
    const all = pages({ a: 1, [name]: 2, z: 3 })
    assert.deepStrictEqual(Object.assign({}, ...all.map(({ data }) => data)), { a: 1, z: 3 })
    assert.strictEqual(all.flatMap(({ too_large = [] }) => too_large).length, 1)
  })

  it("4.14 a deeply nested value is listed as too large", () => {
    for (const levels of [150, 3_000, 10_000, 100_000]) {
      const value = JSON.parse(`[1,${"[".repeat(levels)}${"]".repeat(levels)}]`) as unknown
      assert.deepStrictEqual(page(value), {
        kind: "list",
        total: 2,
        offset: 0,
        data: [1],
        too_large: [{ path: "[1]", is: levels === 1 ? "array of 0" : "array of 1" }]
      })
    }
  })

  it("4.14 a part may be nested 100 levels deep, and an element of any depth inside a part counts", () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    for (const part of [nested(100), [1, nested(99)], { a: 1, b: nested(99) }, [null, { a: null }]])
      assert.deepStrictEqual(page([part]).data, [part])
    for (const part of [nested(101), [1, nested(100)], { a: nested(100), b: 1 }])
      assert.deepStrictEqual(page([part]).data, [])
  })

  it("4.14 a page names at most 20 parts that are too large, and the next page names the others", () => {
    const large = orders.slice(0, 400)
    const [first, second] = pages(Array.from({ length: 25 }, () => large))
    assert.strictEqual(first?.too_large?.length, 20)
    assert.strictEqual(first?.next?.offset, 20)
    assert.deepStrictEqual(
      second?.too_large?.map(({ path }) => path),
      ["[20]", "[21]", "[22]", "[23]", "[24]"]
    )
  })

  it("4.14 a page of small parts is filled to 10,000 bytes, except for the longest numbers that it may have", () => {
    const bytes = (value: unknown) => Utf8.length(JSON.stringify(page(value)))
    for (const value of [
      Array.from({ length: 20_000 }, () => 7),
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`é${at}`, at])),
      "x".repeat(20_000)
    ])
      assert.isTrue(bytes(value) > 9_900 && bytes(value) <= 10_000, String(bytes(value)))
  })

  it("4.14 a page has at most 10,000 bytes, wherever its last part ends", () => {
    const path = "p".repeat(420)
    // in the millionth element, few of the bytes that are reserved for numbers are left
    const list: Array<unknown> = Array.from({ length: 1_000_000 }, () => 0)
    for (let at = 999_951; at < 1_000_000; at++) list[at] = "y".repeat(10_000)
    for (let length = 0; length < 470; length++) {
      list[999_950] = "x".repeat(length)
      const one = page({ [path]: list }, { path, offset: 999_950 })
      assert.isAtMost(Utf8.length(JSON.stringify(one)), 10_000, String(length))
    }
  })

  it("4.14 a part that nearly fills a page is shown or named, and the next page begins after it", () => {
    for (let length = 9_600; length <= 10_000; length++) {
      for (const value of [["x".repeat(length), 1], { ["n".repeat(length)]: null, z: 1 }])
        assert.isAbove(page(value).next?.offset ?? 2, 0)
    }
    const [named] = page({ ["n".repeat(30_000)]: null }).too_large ?? []
    assert.strictEqual(named?.is, "null")
  })

  it("4.14 the longest path leaves room for a page", () => {
    const name = "\u0001".repeat(ArtifactPage.maxPathLength)
    const path = ArtifactPath.format([name])
    const one = page({ [name]: orders }, { path })
    assert.isAtMost(Utf8.length(JSON.stringify(one)), 10_240)
    assert.isAbove((one.data as ReadonlyArray<unknown>).length, 0)
  })
})
