/** Loops that the guard stops, with the conversation and the calls. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as CallList from "#kit/report/html/elements/CallList"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { counted } from "#kit/report/html/elements/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import { patterns } from "#kit/report/html/elements/Words"

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
