/** Compares cells with the ledger and the specification, and counts the false reports. */
import type { Cell } from "./Cells.ts"
import { contradictions, contradictionsOfHint, contradictionsOfStatus } from "./Consistency.ts"
import { keepsProtocol, specified } from "./Specification.ts"

/** The kinds of false reports, with their meanings. */
export const kinds = {
  "false none": "none is reported, but something was done or will be",
  "false committed": "committed is reported, but the action was not done in full",
  "false success": "a write is a plain success, but it was not done exactly once",
  contradiction: "class, hint, next_step, retryable, side_effect, record or status contradict each other",
  "unknown despite evidence": "unknown is reported, although the answer or the lookup says more",
  "unsafe repetition": "a write that was or may have been done was made again, without a key that the upstream honours",
  "not as specified": "class, code, side effect or end of the run differ from the specification"
} as const
export type Kind = keyof typeof kinds

/** One false report. */
export interface FalseReport {
  readonly kind: Kind
  readonly detail: string
}

/** Returns how often the action had been done before the first report was read. */
const happened = ({ ledger: { done, elsewhere, first } }: Cell): number =>
  first === undefined ? done + elsewhere : first.done + first.elsewhere

/** True if the identical call reached the upstream again after a report that forbids it [3.3, 4.6]. */
const isMadeAgain = ({ ledger, report: { outcome, sideEffect }, situation: { access } }: Cell): boolean => {
  if (ledger.first === undefined || ledger.requests === ledger.first.requests) return false
  // a server's tool may be called again by default, because each call may be a separate action
  return outcome === "failure" ? sideEffect !== "none" : access !== "unstated"
}

const contradictionsOf = ({ report }: Cell): ReadonlyArray<string> => {
  const { code, error, hint, notice, outcome, recorded, sideEffect, status, usedFallback } = report
  const isUnknown = outcome === "success" && sideEffect === "unknown"
  return [
    ...(notice !== undefined && isUnknown !== /\bnot known\b/.test(notice)
      ? [`the record of a success says ${sideEffect}, the model reads ${JSON.stringify(notice)}`]
      : []),
    ...(error === undefined ? [] : contradictions(error)),
    ...(hint === undefined ? [] : contradictionsOfHint(hint, sideEffect)),
    ...(status === undefined ? [] : contradictionsOfStatus(status, sideEffect)),
    ...(outcome === "failure" && recorded !== sideEffect && !usedFallback
      ? [`the record says ${recorded}, the caller reads ${sideEffect} (${code})`]
      : [])
  ]
}

const differences = (cell: Cell): ReadonlyArray<string> => {
  const { report, situation } = cell
  const expected = specified(situation)
  const isTypedRefusal = report.class === "Refusal"
  return [
    ...(report.outcome === expected.outcome ? [] : [`${report.outcome}, not ${expected.outcome}`]),
    ...(isTypedRefusal || (report.class === expected.class && report.code === expected.code)
      ? []
      : [`${report.class} ${report.code}, not ${expected.class} ${expected.code}`]),
    ...(report.sideEffect === expected.sideEffect ? [] : [`${report.sideEffect}, not ${expected.sideEffect}`]),
    ...(report.usedFallback === expected.usedFallback
      ? []
      : [`the fallback ${report.usedFallback ? "ran" : "did not run"}`]),
    ...(situation.caller !== "loop" || report.endsForPerson === expected.endsForPerson
      ? []
      : [report.endsForPerson ? "the run ends for a person" : "the run continues"])
  ]
}

/** Returns the false reports of a cell. */
export const falseReportsOf = (cell: Cell): ReadonlyArray<FalseReport> => {
  const { ledger, report, situation } = cell
  const { access, answer, policy } = situation
  const isWrite = access !== "read"
  const { outcome, sideEffect } = report
  const falseReports: Array<FalseReport> = []
  const add = (kind: Kind, detail: string) => falseReports.push({ kind, detail })
  const done = happened(cell)
  const isTouched = done > 0 || situation.deed === "later"
  if (isWrite && outcome === "failure" && sideEffect === "none" && isTouched) add("false none", `done ${done}`)
  if (isWrite && outcome === "failure" && sideEffect === "committed" && done < 1) add("false committed", `done ${done}`)
  if (isWrite && outcome !== "failure" && sideEffect === "committed" && done !== 1) add("false success", `done ${done}`)
  if (isWrite && outcome !== "failure" && sideEffect === "none") add("false none", "a success of a write")
  for (const detail of contradictionsOf(cell)) add("contradiction", detail)
  if (isWrite && sideEffect === "unknown" && specified(situation).sideEffect !== "unknown") {
    add("unknown despite evidence", report.code ?? "success")
  }
  const mayRepeat =
    answer.evidence !== "unknown" || policy === "honoured key" || (policy === "reconcile" && ledger.done === 0)
  const requests = ledger.first?.requests ?? ledger.requests
  if (isWrite && requests > 1 && !mayRepeat) add("unsafe repetition", `${requests} requests`)
  if (isWrite && isMadeAgain(cell)) add("unsafe repetition", "the identical call was made again")
  for (const detail of differences(cell)) add("not as specified", detail)
  return falseReports
}

/** A cell with its false reports. */
export interface ComparedCell {
  readonly cell: Cell
  readonly keepsProtocol: boolean
  readonly falseReports: ReadonlyArray<FalseReport>
}

/** Compares all cells with the ledger and the specification. */
export const compare = (cells: ReadonlyArray<Cell>): ReadonlyArray<ComparedCell> =>
  cells.map((cell) => ({ cell, keepsProtocol: keepsProtocol(cell.situation), falseReports: falseReportsOf(cell) }))

/** Counts the cells with a false report of each kind, among the cells whose upstream keeps to its protocol. */
export const count = (compared: ReadonlyArray<ComparedCell>): Readonly<Record<Kind, number>> => {
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 0])) as Record<Kind, number>
  for (const { falseReports, keepsProtocol } of compared) {
    if (keepsProtocol)
      for (const kind of new Set(falseReports.map((falseReport) => falseReport.kind))) counts[kind] += 1
  }
  return counts
}
