/** What a fuzz run says to people: a line for each tool, and of a broken promise the test that shows it. */
import { counted } from "#kit/text/Numbers"
import { shown } from "effect-toolguard/internal/domain/text/VisibleText"
import type { Checked } from "./Checked.ts"
import { fit, type Screen, wrap } from "#kit/cli/console/Screen"

/** The line of a tool, and what is wrong with it. */
export const tool = (screen: Screen, checked: Checked, width: number): void => {
  const name = screen.styled("bold", fit(shown(checked.tool), width).padEnd(width))
  switch (checked._tag) {
    case "Kept": {
      const { boundaries, calls, cases, executions } = checked.report
      const tried = `${boundaries.tried} of ${boundaries.all} boundaries`
      screen.line(
        `${name}  ${screen.styled("green", "kept")}    ${counted(cases, "case")}, ${counted(calls, "call")}, run ${counted(executions, "time")}, ${tried}`
      )
      return
    }
    case "Broken": {
      const { detail, promise, replay, test } = checked.failure
      screen.line(`${name}  ${screen.styled("red", "broken")}  ${promise}`)
      for (const line of wrap(shown(detail), screen.columns - 2)) screen.line(`  ${line}`)
      if (replay !== undefined) screen.line(`  The case again: --tool ${shown(checked.tool)} --replay ${replay}`)
      screen.line("")
      for (const line of test.split("\n")) screen.line(line)
      screen.line("")
      return
    }
    case "Unfuzzable": {
      screen.line(`${name}  ${screen.styled("yellow", "not checked")}`)
      for (const line of wrap(shown(`${checked.detail} ${checked.remedy}`), screen.columns - 2))
        screen.line(`  ${line}`)
    }
  }
}

/** How many cases there were, and how fast. */
export const summary = (screen: Screen, all: ReadonlyArray<Checked>, millis: number): void => {
  const cases = all.reduce((sum, checked) => sum + (checked._tag === "Kept" ? checked.report.cases : 0), 0)
  if (cases === 0) return
  const seconds = Math.max(0.001, millis / 1_000)
  screen.line(`${counted(cases, "case")} in ${seconds.toFixed(1)} s, ${Math.round(cases / seconds)} a second.`)
}
