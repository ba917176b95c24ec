/** The report of a lint run: findings with their positions, the token cost of each tool, and counts. */
import type { Finding, Suppressed } from "#kit/lint/Lint"
import type { Subject } from "#kit/lint/reading/Subject"
import type { Severity } from "#kit/lint/rules/Severity"

/** A region of a file. Lines and columns count from 1; the end is the position after the last character. */
export interface Region {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A finding with its position. */
export interface LocatedFinding extends Finding {
  readonly region: Region
}

interface LocatedSuppressed extends Suppressed {
  readonly region: Region
}

/** The region of a finding without a known position: the start of the file. */
export const head: Region = { line: 1, column: 1, endLine: 1, endColumn: 1 }

/** A tool, and the tokens of its definition in each request. */
export interface ToolCost {
  readonly name: string
  readonly tokens: number
}

/** The findings in one list. */
export interface FileReport {
  /** Its name on the command line; for a server its command. */
  readonly file: string
  /** The file at which findings are shown, relative to the working directory. */
  readonly artifact: string
  /** Whether it is a file that `--fix` can correct. */
  readonly isCorrectable: boolean
  readonly tools: ReadonlyArray<ToolCost>
  readonly findings: ReadonlyArray<LocatedFinding>
  readonly suppressed: ReadonlyArray<LocatedSuppressed>
}

/** One report per list. */
export type Report = ReadonlyArray<FileReport>

/** The cost of each tool. */
export const costsOf = (subjects: ReadonlyArray<Subject>): ReadonlyArray<ToolCost> =>
  subjects.map(({ tokens, tool }) => ({ name: tool.name, tokens }))

/** The tokens of all tools. */
export const total = (tools: ReadonlyArray<ToolCost>): number => tools.reduce((sum, { tokens }) => sum + tokens, 0)

/** The number of findings of each severity. */
export const counts = (report: Report): Readonly<Record<Severity, number>> => {
  const found = report.flatMap(({ findings }) => findings)
  const count = (severity: Severity) => found.filter((each) => each.severity === severity).length
  return { error: count("error"), warning: count("warning"), info: count("info") }
}
