/** Lints sources by a configuration, mends them where that is asked for, and makes the report. */
import type * as Fix from "#kit/lint/report/Fix"
import * as Lint from "#kit/lint/Lint"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import { costsOf, type FileReport, type Region, type Report } from "#kit/lint/report/Report"
import * as Together from "#kit/lint/report/MergedListing"
import * as Effect from "effect/Effect"
import type { Problem } from "#kit/cli/console/Problem"
import * as Tokens from "#kit/cli/console/Tokens"
import type { Configuration } from "./Configuration.ts"
import * as Mending from "./Mending.ts"
import * as Sources from "./Sources.ts"

/** How it is run. */
interface Options {
  /** All sources are one list. */
  readonly together: boolean
  readonly fix: boolean
  readonly dryRun: boolean
}

/** What was changed in a file, or would be. */
export interface Change {
  readonly file: string
  readonly region: Region
  readonly tool: string | undefined
  readonly change: string
}

interface Ran {
  readonly report: Report
  readonly changes: ReadonlyArray<Change>
}

/** Lints; where lists are mended, the report is of what they are then. */
export const run = (
  sources: ReadonlyArray<Sources.Source>,
  configuration: Configuration,
  options: Options
): Effect.Effect<Ran, Problem> =>
  Effect.gen(function* () {
    const count = yield* Tokens.load
    const first = reportOf(sources, configuration, options.together, count)
    if (!options.fix) return { report: first, changes: [] }
    const plans = sources.map((source, index) => Mending.plan(source, first[index]?.findings ?? []))
    const changes = sources.flatMap((source, index) => (plans[index] ?? []).map((edit) => changeOf(source, edit)))
    if (options.dryRun || changes.length === 0) return { report: first, changes }
    const mended = yield* Effect.forEach(sources, (source, index) => {
      const edits = plans[index] ?? []
      return edits.length === 0
        ? Effect.succeed(source)
        : Effect.andThen(Mending.write(source, edits), Sources.json(source.name))
    })
    return { report: reportOf(mended, configuration, options.together, count), changes }
  })

const changeOf = ({ name, regionOf }: Sources.Source, { change, finding }: Fix.Edit): Change => ({
  file: name,
  region: regionOf(finding.pointer, finding.tool),
  tool: finding.tool,
  change
})

const reportOf = (
  sources: ReadonlyArray<Sources.Source>,
  configuration: Configuration,
  together: boolean,
  count: Tokens.Count
): Report => {
  const parts = together ? [Together.merge(sources)] : sources
  const subjects = parts.map(({ duplicates, ignores, listing }) => ({
    listing: ListingAnalysis.read(listing, count, duplicates),
    ignores
  }))
  const read = subjects.flatMap(({ listing }) => listing.subjects)
  const linted = Lint.run(subjects, configuration.settings)
  const [all] = linted.outcomes
  const outcomes = together && all !== undefined ? Together.split(all, sources.length) : linted.outcomes
  const files = sources.map((source, index): FileReport => {
    const { findings = [], suppressed = [] } = outcomes[index] ?? {}
    const located = <F extends Lint.Finding>(finding: F) => ({
      ...finding,
      region: source.regionOf(finding.pointer, finding.tool)
    })
    return {
      file: source.name,
      artifact: source.artifact,
      isMendable: source.text !== undefined,
      tools: costsOf(
        together ? read.filter(({ tool }) => tool.at.tool[0] === index) : (subjects[index]?.listing.subjects ?? [])
      ),
      findings: findings.map(located).sort(byPlace),
      suppressed: suppressed.map(located).sort(byPlace)
    }
  })
  return linted.configuration.length === 0 ? files : [...files, configured(linted.configuration, configuration)]
}

const byPlace = (a: { readonly region: Region }, b: { readonly region: Region }): number =>
  a.region.line - b.region.line || a.region.column - b.region.column

/** What is wrong with the suppressions of the configuration, as findings in its file. */
const configured = (findings: ReadonlyArray<Lint.Finding>, { file, regionOf }: Configuration): FileReport => ({
  file,
  artifact: file,
  isMendable: false,
  tools: [],
  findings: findings.map((finding) => ({ ...finding, region: regionOf(finding.pointer) })),
  suppressed: []
})

/** A change for programs. */
export const changeJson = ({ change, file, region, tool }: Change) => ({ file, tool: tool ?? null, change, ...region })
