/** Counts the mutants of one room in Stryker's report, and compares the survivors with the accepted mutants. */

interface Position {
  readonly line: number
  readonly column: number
}

interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Position; readonly end: Position }
  /** True if the expression is evaluated when its module is loaded. */
  readonly static?: boolean
  /** The tests that reach the expression. */
  readonly coveredBy?: ReadonlyArray<string>
}

/** Static mutants that no test reaches. Stryker leaves them out itself, but not in results of an earlier run. */
const isLeftOut = ({ coveredBy = [], static: isStatic = false }: Mutant): boolean => isStatic && coveredBy.length === 0

/** The part of Stryker's report that is read here: https://github.com/stryker-mutator/mutation-testing-elements. */
export interface Report {
  readonly files: { readonly [path: string]: { readonly source: string; readonly mutants: ReadonlyArray<Mutant> } }
}

/** A mutant that may survive, and why. */
export interface AcceptedMutant {
  readonly file: string
  /** The source line where the mutant begins, trimmed. A line number would change with every edit above it. */
  readonly line: string
  /** The source that the mutant replaces, or its first line. */
  readonly original: string
  /** The replacement. */
  readonly replacement: string
  readonly reason: string
}

/** An undetected mutant with the text around it. */
interface Survivor extends Omit<AcceptedMutant, "reason"> {
  readonly row: number
  readonly mutator: string
}

/** The counts of a room. `mutants` includes mutants that no test reaches, except static mutants. */
interface Counts {
  readonly mutants: number
  readonly killed: number
  readonly timeout: number
  readonly survived: number
  readonly uncovered: number
  readonly accepted: number
  /** The detected mutants, killed or timed out, as a percentage of all. Accepted mutants do not count as detected. */
  readonly score: number
  /** Survivors and uncovered mutants that are not accepted. */
  readonly open: ReadonlyArray<Survivor>
  /** Accepted mutants of these files that no longer exist, or are now detected. */
  readonly stale: ReadonlyArray<AcceptedMutant>
}

/** The lowest score of a room, and the largest share of accepted mutants, as percentages. */
const lowestScore = 85
const largestAccepted = 5

const survivor = (file: string, source: string, { location, mutatorName, replacement }: Mutant): Survivor => {
  const lines = source.split("\n")
  const line = lines[location.start.line - 1] ?? ""
  const end = location.end.line === location.start.line ? location.end.column - 1 : undefined
  return {
    file,
    row: location.start.line,
    mutator: mutatorName,
    line: line.trim(),
    original: line.slice(location.start.column - 1, end).trim(),
    replacement: replacement ?? ""
  }
}

const isSame = (accepted: AcceptedMutant, mutant: Survivor): boolean =>
  accepted.file === mutant.file &&
  accepted.line === mutant.line &&
  accepted.original === mutant.original &&
  accepted.replacement === mutant.replacement

/** Counts the mutants of the files in the report. */
export const count = (report: Report, files: ReadonlySet<string>, accepted: ReadonlyArray<AcceptedMutant>): Counts => {
  const all = Object.entries(report.files)
    .filter(([path]) => files.has(path))
    .map(([path, { mutants, source }]) => ({ path, source, mutants: mutants.filter((each) => !isLeftOut(each)) }))
  const numberOf = (status: string) =>
    all.reduce((sum, { mutants }) => sum + mutants.filter((mutant) => mutant.status === status).length, 0)
  const [killed, timeout, survived, uncovered] = ["Killed", "Timeout", "Survived", "NoCoverage"].map(numberOf) as [
    number,
    number,
    number,
    number
  ] // one number per status
  const mutants = killed + timeout + survived + uncovered
  const undetected = all.flatMap(({ mutants, path, source }) =>
    mutants
      .filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .map((mutant) => survivor(path, source, mutant))
  )
  const ofThese = accepted.filter(({ file }) => all.some(({ path }) => path === file))
  return {
    mutants,
    killed,
    timeout,
    survived,
    uncovered,
    accepted: undetected.filter((mutant) => ofThese.some((each) => isSame(each, mutant))).length,
    score: mutants === 0 ? 100 : (100 * (killed + timeout)) / mutants,
    open: undetected.filter((mutant) => !ofThese.some((each) => isSame(each, mutant))),
    stale: ofThese.filter((each) => !undetected.some((mutant) => isSame(each, mutant)))
  }
}

/** Returns a sentence for each limit that a room does not meet. */
export const failures = ({ accepted, mutants, score, stale }: Counts): ReadonlyArray<string> => [
  ...(score < lowestScore
    ? [`${score.toFixed(1)} % of the mutants are detected; the minimum is ${lowestScore} %`]
    : []),
  ...(100 * accepted > largestAccepted * mutants
    ? [`${accepted} of ${mutants} mutants are accepted; the maximum is ${largestAccepted} %`]
    : []),
  ...stale.map(
    ({ file, line, replacement }) =>
      `accepted.json names a mutant that does not survive; remove it: ${file} | ${line} | ${replacement}`
  )
]
