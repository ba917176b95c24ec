/** Lints sources with a configuration, corrects them with --fix, and builds the report. */
import type * as Fix from "#kit/lint/report/Fix"
import * as Lint from "#kit/lint/Lint"
import * as ListingAnalysis from "#kit/lint/reading/ListingAnalysis"
import { costsOf, type FileReport, type Region, type Report } from "#kit/lint/report/Report"
import * as MergedListing from "#kit/lint/report/MergedListing"
import * as Effect from "effect/Effect"
import { type Problem, problem } from "#kit/cli/console/Problem"
import * as Tokens from "#kit/cli/console/Tokens"
import type { Configuration } from "./Configuration.ts"
import * as FileFixes from "./FileFixes.ts"
import * as Sources from "./Sources.ts"

/** The options of `lint`. */
interface Options {
  /** True if all sources are linted as one list. */
  readonly together: boolean
  readonly fix: boolean
  readonly dryRun: boolean
}

/** A change that --fix makes or, with --dry-run, would make. */
export interface Change {
  readonly file: string
  readonly region: Region
  readonly tool: string | undefined
  readonly change: string
}

interface LintResult {
  readonly report: Report
  readonly changes: ReadonlyArray<Change>
}

/** Lints the sources. If lists are corrected, the report describes them after the correction. */
export const lint = (
  sources: ReadonlyArray<Sources.Source>,
  configuration: Configuration,
  options: Options
): Effect.Effect<LintResult, Problem> =>
  Effect.gen(function* () {
    const count = yield* Tokens.load
    const first = yield* reportOf(sources, configuration, options.together, count)
    if (!options.fix) return { report: first, changes: [] }
    const plans = sources.map((source, index) => FileFixes.plan(source, first[index]?.findings ?? []))
    const changes = sources.flatMap((source, index) => (plans[index] ?? []).map((edit) => changeOf(source, edit)))
    if (options.dryRun || changes.length === 0) return { report: first, changes }
    const fixed = yield* Effect.forEach(sources, (source, index) => {
      const edits = plans[index] ?? []
      return edits.length === 0
        ? Effect.succeed(source)
        : Effect.andThen(FileFixes.write(source, edits), Sources.json(source.name))
    })
    return { report: yield* reportOf(fixed, configuration, options.together, count), changes }
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
): Effect.Effect<Report, Problem> => {
  const parts = together ? [MergedListing.merge(sources)] : sources
  const subjects = parts.map(({ duplicates, listing, suppressions }) => ({
    listing: ListingAnalysis.read(listing, count, duplicates),
    suppressions
  }))
  const read = subjects.flatMap(({ listing }) => listing.subjects)
  const linted = Lint.run(subjects, configuration.settings)
  if (linted.isCut)
    return Effect.fail(
      problem(`There are more than ${Lint.maxFindings} findings.`, "Lint fewer tools at once, or turn off some rules.")
    )
  const [all] = linted.outcomes
  const outcomes = together && all !== undefined ? MergedListing.split(all, sources.length) : linted.outcomes
  const files = sources.map((source, index): FileReport => {
    const { findings = [], suppressed = [] } = outcomes[index] ?? {}
    const located = <F extends Lint.Finding>(finding: F) => ({
      ...finding,
      region: source.regionOf(finding.pointer, finding.tool)
    })
    return {
      file: source.name,
      artifact: source.artifact,
      isCorrectable: source.text !== undefined,
      tools: costsOf(
        together ? read.filter(({ tool }) => tool.at.tool[0] === index) : (subjects[index]?.listing.subjects ?? [])
      ),
      findings: findings.map(located).sort(byPlace),
      suppressed: suppressed.map(located).sort(byPlace)
    }
  })
  return Effect.succeed(
    linted.configuration.length === 0 ? files : [...files, configurationReport(linted.configuration, configuration)]
  )
}

const byPlace = (a: { readonly region: Region }, b: { readonly region: Region }): number =>
  a.region.line - b.region.line || a.region.column - b.region.column

/** Reports the findings about the configuration's suppressions, at their places in the configuration's file. */
const configurationReport = (findings: ReadonlyArray<Lint.Finding>, { file, regionOf }: Configuration): FileReport => ({
  file,
  artifact: file,
  isCorrectable: false,
  tools: [],
  findings: findings.map((finding) => ({ ...finding, region: regionOf(finding.pointer) })),
  suppressed: []
})

/** Returns a change as JSON. */
export const changeJson = ({ change, file, region, tool }: Change) => ({ file, tool: tool ?? null, change, ...region })
