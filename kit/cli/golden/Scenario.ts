/** Describes the outcome of a scenario, as text and as JSON. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { ComparisonResult } from "#kit/golden/Comparison"
import * as DifferenceText from "#kit/golden/DifferenceText"
import { fit, type Screen } from "#kit/cli/console/Screen"

/** The outcome of one scenario. `left`: the existing file was not changed. */
export interface Scenario {
  readonly scenario: string
  /** The golden file; absent if the scenario has none. */
  readonly file?: string
  readonly state: "same" | "differs" | "recorded" | "updated" | "left" | "missing" | "not run"
  /** The comparison, if the scenario differs, or differed before an update. */
  readonly compared?: ComparisonResult
}

const styles = {
  same: "green",
  differs: "red",
  recorded: "yellow",
  updated: "yellow",
  left: "dim",
  missing: "red",
  "not run": "red"
} as const

/** Returns the state as it is printed. */
const word = (state: Scenario["state"]): string => (state === "left" ? "unchanged" : state)

/**
 * Prints a scenario in one line, followed by its differences if its state is `differs`. Prints nothing if the state is
 * `same`.
 */
export const write = (screen: Screen, { compared, file, scenario, state }: Scenario): void => {
  if (state === "same") return
  const place = file === undefined ? "" : ` (${shown(file)})`
  screen.line(fit(`${screen.styled(styles[state], word(state))}  ${shown(scenario)}${place}`, screen.columns + 12))
  if (compared === undefined || state !== "differs") return
  for (const line of compared.differences.flatMap(DifferenceText.lines)) screen.line(`  ${line}`)
}

/** Prints the number of scenarios in each state. */
export const summary = (screen: Screen, all: ReadonlyArray<Scenario>): void => {
  const counts = Map.groupBy(all, ({ state }) => state)
  const parts = [...counts].map(([state, { length }]) => `${length} ${word(state)}`)
  screen.line(
    all.length === 0
      ? "There are no conversations."
      : `${all.length} scenario${all.length === 1 ? "" : "s"}: ${parts.join(", ")}.`
  )
}

/** Returns the scenario as JSON. */
export const json = ({ compared, file, scenario, state }: Scenario): object => ({
  scenario,
  state,
  ...(file === undefined ? {} : { file }),
  ...(compared === undefined ? {} : { differences: compared.differences })
})
