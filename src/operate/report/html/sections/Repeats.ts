/** Identical calls of a turn, with the conversation and the calls. */
import { html } from "#domain/Html"
import type { Report } from "#src/operate/report/Report"
import * as CallList from "#src/operate/report/html/CallList"
import * as Foreign from "#src/operate/report/html/Foreign"
import { counted } from "#src/operate/report/html/Numbers"
import type { Places } from "#src/operate/report/html/Places"
import type { Section } from "#src/operate/report/html/Section"
import { table } from "#src/operate/report/html/Table"

export const repeats = (
  { repeats: { calls, groups, longestRun, sameAnswer }, totals }: Report,
  places: Places
): Section => ({
  id: "repeats",
  title: "Identical calls",
  count: calls,
  none: totals.calls === 0 ? "" : "No identical calls: no call was made twice in a turn.",
  body:
    calls === 0
      ? undefined
      : html`<p>
            Calls that were made again in the same turn with the same arguments. ${counted(sameAnswer)} of
            ${counted(calls)} brought the same answer as before; longest run: ${counted(longestRun)}.
          </p>
          <p>Where the answers differ the repeat was right, and the guard lets it pass.</p>
          ${table(
            { caption: "Identical calls of a turn", total: groups.total, sorted: ["Times", "descending"] },
            [
              { name: "Tool", of: ({ tool }) => Foreign.code(tool) },
              { name: "Times", of: ({ count }) => counted(count), isNumber: true },
              { name: "Answers", of: ({ answers }) => counted(answers), isNumber: true },
              { name: "Conversation", of: (row) => places.link(row) },
              { name: "Calls", of: (row) => CallList.list(row, places), isWide: true }
            ],
            groups.shown.toSorted((a, b) => b.count - a.count)
          )}`
})
