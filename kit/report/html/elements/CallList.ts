/** Renders the numbers of calls of one conversation, as links. */
import { html, type Html } from "effect-toolguard/internal/domain/text/Html"
import type { CallPlace } from "#kit/report/Report"
import { grouped } from "#kit/text/Numbers"
import type { Places } from "./Places.ts"

/** Groups consecutive numbers. Returns the first and the last number of each group, which is shown as `8–12`. */
const runs = (numbers: ReadonlyArray<number>): ReadonlyArray<readonly [first: number, last: number]> => {
  const found: Array<[number, number]> = []
  for (const number of numbers) {
    const run = found.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else found.push([number, number])
  }
  return found
}

interface ListedCalls extends Omit<CallPlace, "call"> {
  readonly calls: ReadonlyArray<number>
  /** The number of all calls. */
  readonly count: number
}

/** Renders the numbers, with links at both ends of each group, and the number of further calls. */
export const list = (row: ListedCalls, places: Places): Html => {
  const more = row.count - row.calls.length
  return html`${runs(row.calls).map(
    ([first, last], index) =>
      html`${index === 0 ? "" : ", "}${places.number(row, first)}${last === first ? "" : html`–${places.number(row, last)}`}`
  )}${more > 0 ? ` and ${grouped(more)} more` : ""}`
}
