/**
 * Writes the cells as vectors that other implementations can run: the attempts of a handler, and the report that a model
 * reads about its first call. test/vectors/README.md describes the format.
 */
import type { Cell } from "./Cells.ts"
import { evidenceDeed, specified } from "./Specification.ts"
import { type LocalSituation, type Situation, situations } from "./Situation.ts"

/** The caller of all vectors: a loop shows everything that a caller can see. */
const caller = "loop"

/** The deeds in vectors of `reconcile` if the answer proves nothing. Other vectors have the deed of `evidenceDeed`. */
const lookedUp: ReadonlySet<string> = new Set(["nothing", "all", "half"])

/** True if a situation is a vector: each read, and one situation for each deed that the evidence leaves open. */
export const isVector = ({ access, answer, caller: by, deed, policy }: Situation): boolean => {
  if (by !== caller) return false
  if (access === "read") return true
  if (policy !== "reconcile" || answer.evidence !== "unknown") return deed === evidenceDeed(answer)
  return lookedUp.has(deed)
}

/** The situations of the vectors. */
export const vectorSituations: ReadonlyArray<LocalSituation> = situations.filter(isVector)

/** Returns the vector of a cell. */
export const vectorOf = ({ report, situation }: Cell) => {
  const { access, answer, deed, policy } = situation
  const { error } = report
  return {
    name: `3.3 ${access}, policy ${policy}, upstream did ${deed}: ${answer.name}`,
    access,
    policy,
    did: deed,
    given: answer.given,
    causes: answer.depth,
    reported: {
      outcome: report.outcome,
      ...(error === undefined
        ? {}
        : { class: report.class, code: error.code, next_step: error.next_step, retryable: error.retryable }),
      side_effect: report.sideEffect,
      used_fallback: report.usedFallback,
      run_ends_for_person: report.endsForPerson
    }
  }
}
/** Returns the file of the vectors: one vector per line. */
export const write = (cells: ReadonlyArray<Cell>): string =>
  `[\n${cells.map((cell) => `  ${JSON.stringify(vectorOf(cell))}`).join(",\n")}\n]\n`

/** True if a cell agrees with the specification, which is written independently of the guard. */
export const isSpecified = ({ report, situation }: Cell): boolean => {
  const expected = specified(situation)
  return (
    report.outcome === expected.outcome &&
    report.class === expected.class &&
    report.code === expected.code &&
    report.sideEffect === expected.sideEffect &&
    report.usedFallback === expected.usedFallback &&
    report.endsForPerson === expected.endsForPerson
  )
}
