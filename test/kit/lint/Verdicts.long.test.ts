/** Tests that the findings with verdicts in the documentation are findings in the recorded catalogues. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { draw, findings, row } from "../../../scripts/lint-verdicts.ts"
import * as Tokens from "#kit/cli/console/Tokens"
import { data, recordedData } from "../../support/data.ts"
import { needs } from "../../support/prerequisites.ts"
import { byRule, fifty, rowsOf } from "./verdictRows.ts"

describe("the verdicts", needs(recordedData), () => {
  it("13.3 belong to existing findings (if not, draw again: node scripts/lint-verdicts.ts SEED)", async () => {
    const all = findings(join(data, "catalogues"), await Effect.runPromise(Tokens.load))
    const numberless = (text: string) => text.replace(/^\| \d+ /, "")
    const known = new Set(all.map((each) => numberless(row(each, 0))))
    const lost = [...rowsOf(fifty), ...rowsOf(byRule)]
      .filter(({ body }) => existsSync(join(data, "catalogues", `${/\| ([\w-]+) `/.exec(body)?.[1]}.json`)))
      .filter(({ body }) => !known.has(numberless(body)))
    assert.deepStrictEqual(lost, [])
    assert.deepStrictEqual(draw(all, 1), draw(all, 1))
    assert.notDeepEqual(draw(all, 1).all, draw(all, 2).all)
  })
})
