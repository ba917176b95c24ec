/** Renders suspects: calls that the guard would have blocked although they worked. */
import { html, nothing } from "effect-toolguard/internal/domain/text/Html"
import type { Report } from "#kit/report/Report"
import * as Untrusted from "#kit/report/html/elements/UntrustedText"
import { advice, type Section } from "#kit/report/html/elements/Section"
import type { Places } from "#kit/report/html/elements/Places"
import { table } from "#kit/report/html/elements/Table"
import { changeName } from "#kit/report/ChangeNames"

/** Creates the section on suspects. */
export const suspects = ({ suspects: { shown, total }, totals }: Report, places: Places): Section => ({
  id: "suspects",
  title: "Suspects",
  count: total,
  none:
    totals.calls === 0 ? "" : "No suspects: no call that the guard would have blocked had a new, successful answer.",
  body:
    total === 0
      ? undefined
      : html`<p>
            The guard would have blocked these calls, or ended the run before them. The log contradicts it: the call, or
            the identical call that followed, had a new, successful answer.
          </p>
          ${advice(
            html`Open each call. If the call polls for something, declare the tool as a poll. If another tool changes
            what the call reads, declare that tool as a write. If parts of the answer always differ, mark their fields
            as volatile.`
          )}
          ${table(
            { caption: "Suspects, in the order of the log", total },
            [
              { name: "Tool", of: ({ tool }) => Untrusted.code(tool) },
              { name: "Call", of: (suspect) => places.link(suspect, suspect.call) },
              { name: "Reason", of: ({ reason }) => changeName(reason) },
              {
                name: "Missed answer",
                of: (suspect) =>
                  html`<code>${Untrusted.text(suspect.missed)}</code>${
                      suspect.missedAt === suspect.call
                        ? nothing
                        : html` <span class="note"
                            >the answer to call ${places.number(suspect, suspect.missedAt)}</span
                          >`
                    }`,
                isWide: true
              }
            ],
            shown
          )}`
})
