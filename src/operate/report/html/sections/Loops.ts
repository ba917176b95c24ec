/** Loops that the guard stops, with the conversation and the calls. */
import { html } from "#domain/Html"
import type { Report } from "#src/operate/report/Report"
import * as CallList from "#src/operate/report/html/CallList"
import * as Foreign from "#src/operate/report/html/Foreign"
import { counted } from "#src/operate/report/html/Numbers"
import type { Places } from "#src/operate/report/html/Places"
import { advice, type Section } from "#src/operate/report/html/Section"
import { table } from "#src/operate/report/html/Table"
import { patterns } from "#src/operate/report/html/Words"

export const loops = ({ loops: { shown, total }, totals }: Report, places: Places): Section => ({
  id: "loops",
  title: "Loops",
  count: total,
  none: totals.calls === 0 ? "" : "No loops: no conversation went round in circles.",
  body:
    total === 0
      ? undefined
      : html`<p>
            Where a conversation goes round in circles. The guard stops these calls and asks a person whether to go on.
          </p>
          ${advice("Read the answer before the first stop: it seldom says that the work is done, or what to do instead.")}
          ${table(
            {
              caption: "Loops, the longest first",
              total,
              sorted: ["Stopped", "descending"]
            },
            [
              { name: "Tool", of: ({ tool }) => Foreign.code(tool) },
              { name: "Pattern", of: ({ pattern }) => patterns[pattern] },
              { name: "Stopped", of: ({ count }) => counted(count), isNumber: true },
              { name: "Conversation", of: (row) => places.link(row) },
              { name: "Calls", of: (row) => CallList.list(row, places), isWide: true }
            ],
            shown.toSorted((a, b) => b.count - a.count)
          )}`
})
