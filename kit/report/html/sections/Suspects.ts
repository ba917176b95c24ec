/** Stops that the log contradicts. */
import { html } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Foreign from "#kit/report/html/elements/Foreign"
import { advice, type Section } from "#kit/report/html/elements/Section"
import type { Places } from "#kit/report/html/elements/Places"
import { table } from "#kit/report/html/elements/Table"
import { savings } from "#kit/report/html/elements/Words"

export const suspects = ({ suspects: { shown, total }, totals }: Report, places: Places): Section => ({
  id: "suspects",
  title: "Suspects",
  count: total,
  none: totals.calls === 0 ? "" : "No suspects: no call that the guard would have spared had anything new to say.",
  body:
    total === 0
      ? undefined
      : html`<p>
            Calls that the guard would not have made again, though the log has a new and good answer for them: stops
            that may be wrong.
          </p>
          ${advice(
            html`Open each one. If the call waits for something, declare the tool a poll. If another tool changes what
            it reads, declare that one a write. If parts of the answer always differ, mark those fields as volatile.`
          )}
          ${table(
            { caption: "Suspects, in the order of the log", total },
            [
              { name: "Tool", of: ({ tool }) => Foreign.code(tool) },
              { name: "Call", of: (suspect) => places.link(suspect, suspect.call) },
              { name: "Not made again as", of: ({ reason }) => savings[reason].name },
              {
                name: "What it would have missed",
                of: ({ missed }) => html`<code>${Foreign.said(missed)}</code>`,
                isWide: true
              }
            ],
            shown
          )}`
})
