/** Describes the report of a lint run: findings with their positions, the token cost of each tool, and counts. */
import type { Finding, SuppressedFinding } from "#kit/lint/Lint"
import type { Subject } from "#kit/lint/reading/Subject"
import type { Severity } from "#kit/lint/rules/Severity"

/** A region of a file. Lines and columns count from 1. The end is the position after the last character. */
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

interface LocatedSuppression extends SuppressedFinding {
  readonly region: Region
}

/** The start of the file, which is the region of a finding without a known position. */
export const head: Region = { line: 1, column: 1, endLine: 1, endColumn: 1 }

/** A tool, and the number of tokens of its definition in each request. */
export interface ToolCost {
  readonly name: string
  readonly tokens: number
}

/** The findings in one list. */
export interface FileReport {
  /** The name of the file on the command line, or the command of a server. */
  readonly file: string
  /** The file at which findings are shown, relative to the working directory. */
  readonly artifact: string
  /** True if `--fix` can correct the file. */
  readonly isCorrectable: boolean
  readonly tools: ReadonlyArray<ToolCost>
  readonly findings: ReadonlyArray<LocatedFinding>
  readonly suppressed: ReadonlyArray<LocatedSuppression>
}

/** One report per list. */
export type Report = ReadonlyArray<FileReport>

/** Returns the cost of each tool. */
export const costsOf = (subjects: ReadonlyArray<Subject>): ReadonlyArray<ToolCost> =>
  subjects.map(({ tokens, tool }) => ({ name: tool.name, tokens }))

/** Returns the number of tokens of all tools. */
export const total = (tools: ReadonlyArray<ToolCost>): number => tools.reduce((sum, { tokens }) => sum + tokens, 0)

/** Counts the findings of each severity. */
export const counts = (report: Report): Readonly<Record<Severity, number>> => {
  const found = report.flatMap(({ findings }) => findings)
  const count = (severity: Severity) => found.filter((each) => each.severity === severity).length
  return { error: count("error"), warning: count("warning"), info: count("info") }
}
