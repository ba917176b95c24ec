import { assert, describe, it } from "@effect/vitest"
import * as FieldPath from "#domain/text/FieldPath"

describe("FieldPath", () => {
  it("5.2 writes names with dots and indices in brackets", () => {
    assert.strictEqual(FieldPath.format(["orders", 2, "cents"]), "orders[2].cents")
    assert.strictEqual(FieldPath.format([0, "größe", "x-y", "$ref"]), "[0].größe.x-y.$ref")
    assert.strictEqual(FieldPath.format([]), "")
  })

  it("[13.1] writes all items of a list as [], and all names of a record as *", () => {
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
})
