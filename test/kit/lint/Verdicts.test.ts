/** The judged findings of the documentation are what the rules find, and their sums are right. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { draw, findings, row } from "../../../scripts/lint-verdicts.ts"
import * as Tokens from "#kit/cli/console/Tokens"
import { data, hasData } from "../../support/data.ts"
import { read } from "../../support/sources.ts"

const [, fifty = "", byRule = ""] = read("docs/lint/verdicts.md").split(/^## .*$/m)

/** Rows with their verdicts. */
const rowsOf = (section: string) =>
  [...section.matchAll(/^(\| \d+ \|.*\|) (\w[^|]*) \|$/gm)].map(([, body = "", verdict = ""]) => ({ body, verdict }))

const isRight = ({ verdict }: { readonly verdict: string }) => verdict.startsWith("right")

describe("the verdicts", () => {
  it("13.3 are at least forty-five times of fifty that the finding is right, and summed as they are", () => {
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

  it.skipIf(!hasData)(
    "13.3 are of what is found (else draw again: node scripts/lint-verdicts.ts SEED)",
    { timeout: 60_000 },
    async () => {
      const all = findings(join(data, "catalogues"), await Effect.runPromise(Tokens.load))
      const numberless = (text: string) => text.replace(/^\| \d+ /, "")
      const known = new Set(all.map((each) => numberless(row(each, 0))))
      const lost = [...rowsOf(fifty), ...rowsOf(byRule)]
        .filter(({ body }) => existsSync(join(data, "catalogues", `${/\| ([\w-]+) `/.exec(body)?.[1]}.json`)))
        .filter(({ body }) => !known.has(numberless(body)))
      assert.deepStrictEqual(lost, [])
      assert.deepStrictEqual(draw(all, 1), draw(all, 1))
      assert.notDeepEqual(draw(all, 1).all, draw(all, 2).all)
    }
  )
})
