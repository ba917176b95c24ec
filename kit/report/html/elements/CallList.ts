/** Calls of one conversation by their numbers, as links. */
import { html, type Html } from "effect-toolguard/internal/domain/text/Html"
import type { CallPlace } from "#kit/report/Report"
import { counted } from "./Numbers.ts"
import type { Places } from "./Places.ts"

/** Numbers that follow on each other as `8–12`: the first and the last of each run. */
export const runs = (numbers: ReadonlyArray<number>): ReadonlyArray<readonly [first: number, last: number]> => {
  const found: Array<[number, number]> = []
  for (const number of numbers) {
    const run = found.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else found.push([number, number])
  }
  return found
}

interface Listed extends Omit<CallPlace, "call"> {
  readonly calls: ReadonlyArray<number>
  /** How many there are in all. */
  readonly count: number
}

/** The numbers of calls, each run linked at both ends, and how many are not listed. */
export const list = (row: Listed, places: Places): Html => {
  const more = row.count - row.calls.length
  return html`${runs(row.calls).map(
    ([first, last], index) =>
      html`${index === 0 ? "" : ", "}${places.number(row, first)}${last === first ? "" : html`–${places.number(row, last)}`}`
  )}${more > 0 ? ` and ${counted(more)} more` : ""}`
}
