/** Renders the loops that the guard would have stopped, with their conversations and calls. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as CallList from "#kit/report/html/elements/CallList"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { grouped } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import { advice, type Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"
import { patterns } from "#kit/report/html/elements/Terms"

/** Creates the section on loops. */
export const loops = ({ loops: { shown, total }, totals }: Report, places: Places): Section => ({
  id: "loops",
  title: "Loops",
  count: total,
  none: totals.calls === 0 ? "" : "No loops: no calls repeated without progress.",
  body:
    total === 0
      ? undefined
      : html`<p>These calls repeat without progress. The guard blocks them and asks a person whether to continue.</p>
          ${advice(
            "Read the answer before the first blocked call: it rarely says that the work is done, or what to do instead."
          )}
          ${table(
            {
              caption: "Loops, the longest first",
              total,
              sorted: ["Stopped", "descending"]
            },
            [
              { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
              { name: "Pattern", of: ({ pattern }) => patterns[pattern] },
              { name: "Stopped", of: ({ count }) => grouped(count), isNumber: true },
              { name: "Conversation", of: (row) => places.link(row) },
              { name: "Calls", of: (row) => CallList.list(row, places), isWide: true }
            ],
            shown.toSorted((a, b) => b.count - a.count)
          )}`
})
