/** Tests that the SARIF log of the recorded catalogues is within the limits of GitHub's code scanning. */
import * as Sarif from "#kit/lint/report/Sarif"
import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { recordedData } from "../../../support/data.ts"
import { needs } from "../../../support/prerequisites.ts"
import { catalogues } from "../support.ts"
import { linter, reportOf } from "./reports.ts"

describe("Sarif", needs(recordedData), () => {
  it("13.3 stays under ten megabytes compressed, for all catalogues at once", () => {
    const lists = [...catalogues()].map(([name, text]) => [name, JSON.parse(text) as unknown] as const)
    assert.isBelow(gzipSync(JSON.stringify(Sarif.of(reportOf(lists), linter))).length, 10_000_000)
  })
})
