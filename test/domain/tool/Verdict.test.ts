/** Tests the verdicts of checks, and which of two verdicts counts. */
import { assert, describe, it } from "@effect/vitest"
import * as Verdict from "#domain/tool/Verdict"

const next = Verdict.partial({ next: { page: 2 } })
const narrow = Verdict.partial({ narrow: "Ask for fewer days.", detail: "3 of 47 orders", code: "cut" })
const garbage = Verdict.garbage({ code: "wrong_unit", detail: "The unit is F.", hint: "Ask for C." })

describe("Verdict", () => {
  it("4.10 partial says how to continue or how to narrow the request, and garbage says what is wrong", () => {
    assert.deepStrictEqual(next, { _tag: "Partial", next: { page: 2 } })
    assert.deepStrictEqual(narrow, {
      _tag: "Partial",
      next: undefined,
      narrow: "Ask for fewer days.",
      detail: "3 of 47 orders",
      code: "cut"
    })
    assert.deepStrictEqual(garbage, {
      _tag: "Garbage",
      code: "wrong_unit",
      detail: "The unit is F.",
      hint: "Ask for C."
    })
  })

  it("4.10 garbage outweighs partial, and partial outweighs ok", () => {
    const ascending: ReadonlyArray<Verdict.Verdict> = [Verdict.ok, next, garbage]
    ascending.forEach((self, i) =>
      ascending.forEach((that, j) => assert.strictEqual(Verdict.heavier(self, that), ascending[Math.max(i, j)]))
    )
  })

  it("4.10 the first of two equally severe verdicts counts", () => {
    const other = Verdict.garbage({ code: "stale", detail: "It is old." })
    assert.strictEqual(Verdict.heavier(next, narrow), next)
    assert.strictEqual(Verdict.heavier(narrow, next), narrow)
    assert.strictEqual(Verdict.heavier(garbage, other), garbage)
  })

  it("4.10 combining verdicts is associative, with ok as the neutral element", () => {
    const all: ReadonlyArray<Verdict.Verdict> = [Verdict.ok, next, narrow, garbage]
    for (const a of all) {
      assert.strictEqual(Verdict.heavier(Verdict.ok, a), a)
      assert.strictEqual(Verdict.heavier(a, Verdict.ok), a)
      for (const b of all) {
        for (const c of all) {
          assert.strictEqual(Verdict.heavier(Verdict.heavier(a, b), c), Verdict.heavier(a, Verdict.heavier(b, c)))
        }
      }
    }
  })
})
