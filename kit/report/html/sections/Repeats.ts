/** Identical calls of a turn, with the conversation and the calls. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as CallList from "#kit/report/html/elements/CallList"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { counted } from "#kit/report/html/elements/Numbers"
import type { Places } from "#kit/report/html/elements/Places"
import type { Section } from "#kit/report/html/elements/Section"
import { table } from "#kit/report/html/elements/Table"

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
