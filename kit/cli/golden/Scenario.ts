/** What became of a scenario, for people and as JSON. */
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { Compared } from "#kit/golden/Comparison"
import * as DifferenceText from "#kit/golden/DifferenceText"
import { fit, type Screen } from "#kit/cli/console/Screen"

export interface Scenario {
  readonly scenario: string
  /** Absent where it has none. */
  readonly file?: string
  readonly state: "same" | "differs" | "recorded" | "updated" | "left" | "missing" | "not run"
  /** Where it differs, or did. */
  readonly compared?: Compared
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

const words = { ...Object.fromEntries(Object.keys(styles).map((state) => [state, state])), left: "left as it is" }

/** One line, and what differs. What is as expected is only counted. */
export const write = (screen: Screen, { compared, file, scenario, state }: Scenario): void => {
  if (state === "same") return
  const word = (words as Readonly<Record<string, string>>)[state] ?? state
  const place = file === undefined ? "" : ` (${shown(file)})`
  screen.line(fit(`${screen.styled(styles[state], word)}  ${shown(scenario)}${place}`, screen.columns + 12))
  if (compared === undefined || state !== "differs") return
  for (const line of compared.differences.flatMap(DifferenceText.lines)) screen.line(`  ${line}`)
}

/** How many there are of each. */
export const summary = (screen: Screen, all: ReadonlyArray<Scenario>): void => {
  const counts = Map.groupBy(all, ({ state }) => state)
  const told = [...counts].map(([state, { length }]) => `${length} ${words[state as keyof typeof words] ?? state}`)
  screen.line(
    all.length === 0
      ? "There are no conversations."
      : `${all.length} scenario${all.length === 1 ? "" : "s"}: ${told.join(", ")}.`
  )
}

export const json = ({ compared, file, scenario, state }: Scenario): object => ({
  scenario,
  state,
  ...(file === undefined ? {} : { file }),
  ...(compared === undefined ? {} : { differences: compared.differences })
})
