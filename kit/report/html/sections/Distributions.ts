/** Renders how calls are distributed over time, over conversations, and over sequences of identical calls. */
import { html, type Html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { LengthRow, Report } from "#kit/report/Report"
import { bars, columns } from "#kit/report/html/elements/Chart"
import type { Section } from "#kit/report/html/elements/Section"
import { counted, grouped } from "#kit/text/Numbers"
import { lengthOfTime, utc } from "#kit/text/Times"

/** Creates the section on the calls over time. It has no content if all calls are in one column. */
export const overTime = ({ time, totals }: Report): Section => {
  const shown = time !== null && time.columns.length > 1 ? time : undefined
  return {
    id: "time",
    title: "Calls over time",
    short: "Time",
    none: totals.calls > 0 && time === null ? "No calls over time: the log has no times." : "",
    body: shown === undefined ? undefined : body(shown, totals.calls)
  }
}

const body = ({ columns: all, from, stepMillis, timed }: NonNullable<Report["time"]>, calls: number): Html => {
  const end = from + all.length * stepMillis
  const most = Math.max(...all.map((column) => column.calls))
  const busiest = all.findIndex((column) => column.calls === most)
  return html`<p>
      Each column is ${lengthOfTime(stepMillis)}. The highest has ${counted(most, "call")}, from
      ${utc(from + busiest * stepMillis, stepMillis)} UTC.
      ${timed === calls ? nothing : html`${grouped(timed)} of ${counted(calls, "call")} have a time.`}
    </p>
    ${columns(
      all.map(({ blocked, calls: count, failed }) => {
        const bad = Math.min(failed, count - blocked)
        return [
          { count: count - blocked - bad, mark: "good" },
          { count: bad, mark: "bad" },
          { count: blocked, mark: "saved" }
        ]
      })
    )}
    <p class="ends"><span>${utc(from, stepMillis)}</span> <span>${utc(end, stepMillis)} UTC</span></p>
    <ul class="legend">
      <li><i class="k-good"></i>made</li>
      <li><i class="k-bad"></i>made, failed in the log</li>
      <li><i class="k-saved"></i>not made</li>
    </ul>`
}

const rangeOf = ({ from, to }: LengthRow): string =>
  from === to ? grouped(from) : `${grouped(from)} to ${grouped(to)}`

/** Renders a distribution; nothing if all lengths are in one class. */
const distribution = (title: string, unit: string, rows: ReadonlyArray<LengthRow>): Html =>
  rows.length < 2
    ? nothing
    : html`<div>
        <h3>${title}</h3>
        ${bars(
          rows.map((row) => ({ name: `${rangeOf(row)} ${row.to === 1 ? unit : `${unit}s`}`, count: row.count })),
          "plain"
        )}
      </div>`

/** Creates the section on the lengths of conversations and of sequences of identical calls. */
export const lengths = ({ lengths: { conversations, repeats } }: Report): Section => ({
  id: "lengths",
  title: "Lengths",
  body:
    conversations.length < 2 && repeats.length < 2
      ? undefined
      : html`<div class="columns">
          ${distribution("Calls per conversation", "call", conversations)}
          ${distribution("Sequences of identical calls", "call", repeats)}
        </div>`
})
