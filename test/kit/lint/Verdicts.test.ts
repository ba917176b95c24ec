/** Tests the verdicts on findings in the documentation, and their sums. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "../../support/sources.ts"
import { byRule, fifty, rowsOf } from "./verdictRows.ts"

const isRight = ({ verdict }: { readonly verdict: string }) => verdict.startsWith("right")

describe("the verdicts", () => {
  it("13.3 are right for at least 45 of 50 findings, and their sums are correct", () => {
    const tables = [rowsOf(fifty), rowsOf(byRule)]
    assert.deepStrictEqual(
      tables.map(({ length }) => length),
      [50, 62]
    )
    assert.isAtLeast(tables[0]?.filter(isRight).length ?? 0, 45)
    const sums = [
      ...read("docs/lint/verdicts.md").matchAll(/^\| (?:fifty|two) .* \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)
    ]
    assert.deepStrictEqual(
      sums.map((sum) => sum.slice(1).map(Number)),
      tables.map((rows) => [
        rows.length,
        rows.filter(isRight).length,
        rows.filter(({ verdict }) => verdict.startsWith("right, of little use")).length,
        rows.filter(({ verdict }) => verdict.startsWith("wrong")).length
      ])
    )
  })
})
