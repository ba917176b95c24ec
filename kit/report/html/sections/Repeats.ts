/** Renders identical calls within a turn, with their conversations. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as CallList from "#kit/report/html/elements/CallList"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { counted, grouped } from "#kit/text/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import type { Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

/** Creates the section on identical calls. */
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
            These calls were repeated in the same turn with the same arguments. ${grouped(sameAnswer)} of
            ${grouped(calls)} returned the same answer as before. The longest sequence of identical calls has
            ${counted(longestRun, "call")}.
          </p>
          <p>If the answers differ, the repetition was justified, and the guard lets it pass.</p>
          ${table(
            { caption: "Identical calls within a turn", total: groups.total, sorted: ["Times", "descending"] },
            [
              { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
              { name: "Times", of: ({ count }) => grouped(count), isNumber: true },
              { name: "Answers", of: ({ answers }) => grouped(answers), isNumber: true },
              { name: "Conversation", of: (row) => places.link(row) },
              { name: "Calls", of: (row) => CallList.list(row, places), isWide: true }
            ],
            groups.shown.toSorted((a, b) => b.count - a.count)
          )}`
})
