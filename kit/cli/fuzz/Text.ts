/** Prints the report of a fuzz run: a line for each tool, and for a broken promise the test that reproduces it. */
import { counted } from "#kit/text/Numbers"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { CheckOutcome } from "./CheckOutcome.ts"
import { fit, type Screen, wrap } from "#kit/cli/console/Screen"

/** Prints the outcome of a tool. */
export const tool = (screen: Screen, outcome: CheckOutcome, width: number): void => {
  const name = screen.styled("bold", fit(shown(outcome.tool), width).padEnd(width))
  switch (outcome._tag) {
    case "Kept": {
      const { boundaries, calls, cases, executions } = outcome.report
      const tried = `${boundaries.tried} of ${boundaries.all} boundaries`
      screen.line(
        `${name}  ${screen.styled("green", "kept")}    ${counted(cases, "case")}, ${counted(calls, "call")}, run ${counted(executions, "time")}, ${tried}`
      )
      return
    }
    case "Broken": {
      const { detail, promise, replay, test } = outcome.failure
      screen.line(`${name}  ${screen.styled("red", "broken")}  ${promise}`)
      for (const line of wrap(shown(detail), screen.columns - 2)) screen.line(`  ${line}`)
      if (replay !== undefined) screen.line(`  To repeat the case: --tool ${shown(outcome.tool)} --replay ${replay}`)
      screen.line("")
      for (const line of test.split("\n")) screen.line(line)
      screen.line("")
      return
    }
    case "Unfuzzable": {
      screen.line(`${name}  ${screen.styled("yellow", "not checked")}`)
      for (const line of wrap(shown(`${outcome.detail} ${outcome.remedy}`), screen.columns - 2))
        screen.line(`  ${line}`)
    }
  }
}

/** Prints the number of cases of the tools that kept their promises, and the rate of cases. */
export const summary = (screen: Screen, all: ReadonlyArray<CheckOutcome>, millis: number): void => {
  const cases = all.reduce((sum, outcome) => sum + (outcome._tag === "Kept" ? outcome.report.cases : 0), 0)
  if (cases === 0) return
  const seconds = Math.max(0.001, millis / 1_000)
  screen.line(`${counted(cases, "case")} in ${seconds.toFixed(1)} s, ${Math.round(cases / seconds)} a second.`)
}
