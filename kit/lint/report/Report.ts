/** What a run of the linter tells: findings with the lines they stand in, the cost of each tool, and how many there are. */
import type { Finding, Suppressed } from "#kit/lint/Lint"
import type { Subject } from "#kit/lint/reading/Subject"
import type { Severity } from "#kit/lint/rules/Severity"

/** Where something stands in a file. Lines and columns from 1; the end is the place behind the last character. */
export interface Region {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

export interface LocatedFinding extends Finding {
  readonly region: Region
}

export interface LocatedSuppressed extends Suppressed {
  readonly region: Region
}

/** What stands at the head of a file of which nothing else is known. */
export const head: Region = { line: 1, column: 1, endLine: 1, endColumn: 1 }

/** A tool, and what its definition costs in each request. */
export interface ToolCost {
  readonly name: string
  readonly tokens: number
}

/** What was found in one list. */
export interface FileReport {
  /** As it was named on the command line; of a server its command. */
  readonly file: string
  /** Where its findings are shown: a file, relative to where the command runs. */
  readonly artifact: string
  /** Whether it is a file that `--fix` can mend. */
  readonly isMendable: boolean
  readonly tools: ReadonlyArray<ToolCost>
  readonly findings: ReadonlyArray<LocatedFinding>
  readonly suppressed: ReadonlyArray<LocatedSuppressed>
}

export type Report = ReadonlyArray<FileReport>

/** The cost of each tool. */
export const costsOf = (subjects: ReadonlyArray<Subject>): ReadonlyArray<ToolCost> =>
  subjects.map(({ tokens, tool }) => ({ name: tool.name, tokens }))

/** The sum of what tools cost. */
export const total = (tools: ReadonlyArray<ToolCost>): number => tools.reduce((sum, { tokens }) => sum + tokens, 0)

/** How many findings there are of each severity. */
export const counts = (report: Report): Readonly<Record<Severity, number>> => {
  const found = report.flatMap(({ findings }) => findings)
  const count = (severity: Severity) => found.filter((each) => each.severity === severity).length
  return { error: count("error"), warning: count("warning"), info: count("info") }
}
