/** Builds reports of lists of tools, like those of the command. */
import * as Lint from "#kit/lint/Lint"
import * as ListingFormats from "#kit/lint/reading/ListingFormats"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import type { FileReport } from "#kit/lint/report/Report"
import * as Settings from "#kit/lint/Settings"
import { Result } from "effect"
import { hash } from "node:crypto"
import { count } from "../support.ts"

export const linter = {
  settings: Settings.defaults,
  version: "1.2.3",
  digest: (text: string) => hash("sha256", text, "hex")
}

/** Builds the report of lists, in which the line of a finding is its number in the list. */
export const reportOf = (lists: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<FileReport> =>
  lists.map(([file, document]) => {
    const listing = ListingAnalysis.read(Result.getOrThrow(ListingFormats.read(document)), count)
    const { findings } = Lint.run([{ listing, suppressions: [] }], Settings.defaults).outcomes[0]!
    const located = findings.map((finding, index) => ({
      ...finding,
      region: { line: index + 1, column: 3, endLine: index + 1, endColumn: 9 }
    }))
    return { file, artifact: file, isCorrectable: true, tools: [], findings: located, suppressed: [] }
  })
