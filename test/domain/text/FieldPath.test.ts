import { assert, describe, it } from "@effect/vitest"
import * as FieldPath from "#domain/text/FieldPath"

describe("FieldPath", () => {
  it("5.2 writes names with dots and indices in brackets", () => {
    assert.strictEqual(FieldPath.format(["orders", 2, "cents"]), "orders[2].cents")
    assert.strictEqual(FieldPath.format([0, "größe", "x-y", "$ref"]), "[0].größe.x-y.$ref")
    assert.strictEqual(FieldPath.format([]), "")
  })

  it("13.1 writes all items of a list as [], and all names of a record as *", () => {
    const { anyIndex, anyName } = FieldPath
    assert.strictEqual(FieldPath.format(["orders", anyIndex, "prices", anyName, "cents"]), "orders[].prices.*.cents")
    assert.strictEqual(FieldPath.format([anyName, anyIndex]), "*[]")
  })

  it("5.2 quotes names that are not plain words", () => {
    assert.strictEqual(FieldPath.format(["a", "b.c", "line\nbreak", ""]), `a["b.c"]["line\\nbreak"][""]`)
  })

  it("5.5 cuts long names and long paths, between characters", () => {
    assert.strictEqual(FieldPath.format(["x".repeat(20_000)]), "x".repeat(39) + "…")
    const long = FieldPath.format(Array.from({ length: 50 }, () => "field"))
    assert.strictEqual(long.length, 120)
    assert.isTrue(long.startsWith("…") && long.endsWith(".field.field"))
  })

  it("5.5 a path in fewer characters loses whole names at its start", () => {
    const path = ["orders", 12, "updates", 0, "visibility"]
    const whole = "orders[12].updates[0].visibility"
    const ending = (max: number) => FieldPath.ending(path, max)
    assert.deepStrictEqual([whole.length, whole.length - 1, 26, 25, 22, 15, 14, 11, 10].map(ending), [
      whole,
      "…[12].updates[0].visibility",
      "…updates[0].visibility",
      "…updates[0].visibility",
      "…updates[0].visibility",
      "…[0].visibility",
      "…visibility",
      "…visibility",
      "…visibili…"
    ])
    assert.strictEqual(FieldPath.ending([], 5), "")
    assert.strictEqual(FieldPath.ending(["abcdefgh"], 5), "…abc…")
  })

  it("5.5 a path of 120 characters is whole, and a cut path begins with a whole character", () => {
    const of = (first: string) =>
      FieldPath.format([first, ...Array.from({ length: 4 }, () => "x".repeat(20)), "y".repeat(28)])
    assert.strictEqual(of("abcdefg").length, 120)
    assert.isTrue(of("abcdefg").startsWith("abcdefg."))
    assert.isTrue(of("abcdefgh").startsWith("…cdefgh."))
    for (const first of ["a𠮷defgh", "ab𠮷defgh"]) assert.isTrue(of(first).startsWith("…defgh."))
    assert.isTrue(FieldPath.format([...Array.from({ length: 6 }, () => "x".repeat(20)), "𠮷"]).endsWith("x.𠮷"))
  })

  it("5.2 a name of 40 characters is whole; a longer name is cut, and quoted only if the remaining part needs quotes", () => {
    assert.strictEqual(FieldPath.name("x".repeat(40)), "x".repeat(40))
    assert.strictEqual(FieldPath.name(`${"x".repeat(39)}y.`), `${"x".repeat(39)}…`)
    assert.strictEqual(FieldPath.name("a…b"), '"a…b"')
    assert.strictEqual(FieldPath.name("a b"), '"a b"')
  })
})
